// SPDX-License-Identifier: MIT
#include "compiler/worker_llvm.h"

#include <cstdlib>
#include <cstring>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <lld/Common/Driver.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

LLD_HAS_DRIVER(elf)

namespace {

// Code generation only: the pipeline runs later, when the device library has been linked.
class FrontendAction : public clang::EmitLLVMOnlyAction {
  public:
    FrontendAction(llvm::LLVMContext *ctx, const llvm_frontend_job &job)
        : clang::EmitLLVMOnlyAction(ctx), job(job) {}

  protected:
    void EndSourceFileAction() override {
        clang::CompilerInstance &ci = getCompilerInstance();
        if (ci.hasASTContext()) {
            for (clang::Decl *d : ci.getASTContext().getTranslationUnitDecl()->decls()) {
                const auto *f = llvm::dyn_cast<clang::FunctionDecl>(d);
                if (f && f->getIdentifier() && f->hasAttr<clang::AMDGPUFlatWorkGroupSizeAttr>())
                    job.bounded_kernel(job.user, f->getName().str().c_str());
            }
        }
        clang::EmitLLVMOnlyAction::EndSourceFileAction();
    }

  private:
    const llvm_frontend_job &job;
};

class AllFiles : public clang::DependencyCollector {
    bool needSystemDependencies() override { return true; }
};

bool in_memory(const llvm_frontend_job &job, llvm::StringRef path) {
    for (size_t i = 0; i < job.file_count; i++) {
        llvm::StringRef name = job.files[i].name;
        if (path == name || (name.starts_with("/") && path == name.drop_front())) return true;
    }
    return false;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const llvm_frontend_job &job) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (size_t i = 0; i < job.file_count; i++) {
        const llvm_file &f = job.files[i];
        memory->addFile(f.name, 0,
                        llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(f.data, f.size), f.name));
    }
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real(
        llvm::vfs::createPhysicalFileSystem().release());
    auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(real));
    all->pushOverlay(std::move(memory));
    all->setCurrentWorkingDirectory("/");
    return all;
}

} // namespace

extern "C" LLVMModuleRef llvm_frontend(LLVMContextRef ctx, const llvm_frontend_job *job) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::ArrayRef<const char *> args(job->args, job->arg_count);
    auto vfs = file_system(*job);

    clang::CompilerInstance ci;
    clang::DiagnosticOptions options;
    auto diags = clang::CompilerInstance::createDiagnostics(
        *vfs, options, new clang::TextDiagnosticPrinter(stream, options));
    std::unique_ptr<llvm::Module> module;
    if (clang::CompilerInvocation::CreateFromArgs(ci.getInvocation(), args, *diags)) {
        ci.setVirtualFileSystem(vfs);
        ci.createDiagnostics(new clang::TextDiagnosticPrinter(stream, ci.getDiagnosticOpts()));
        ci.setVerboseOutputStream(stream);
        auto files = std::make_shared<AllFiles>();
        ci.addDependencyCollector(files);
        FrontendAction action(llvm::unwrap(ctx), *job);
        if (ci.ExecuteAction(action)) module = action.takeModule();
        for (const std::string &path : files->getDependencies())
            if (!in_memory(*job, path)) job->dependency(job->user, path.c_str());
    }
    job->log(job->user, text.data(), text.size());
    return llvm::wrap(module.release());
}

extern "C" bool llvm_link_needed(LLVMModuleRef into, LLVMModuleRef *libraries, size_t count) {
    llvm::Linker linker(*llvm::unwrap(into));
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        std::unique_ptr<llvm::Module> source(llvm::unwrap(libraries[i]));
        if (good)
            good = !linker.linkInModule(std::move(source), llvm::Linker::Flags::LinkOnlyNeeded);
    }
    return good;
}

extern "C" bool llvm_lld(const char *const *args, size_t count,
                         void (*log)(void *user, const char *text, size_t size), void *user,
                         bool *again) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    static const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
    lld::Result r =
        lld::lldMain(llvm::ArrayRef<const char *>(args, count), stream, stream, drivers);
    log(user, text.data(), text.size());
    *again = r.canRunAgain;
    return r.retCode == 0;
}

extern "C" char *llvm_demangle(const char *name) {
    return strdup(llvm::demangle(name).c_str());
}
