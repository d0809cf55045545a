// SPDX-License-Identifier: MIT
#include "compiler/prepare_split.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace {

using Group = std::vector<llvm::GlobalObject *>;

// "_Z3powff" -> "pow": overloads tend to call one another. Other names stand for themselves.
std::string base_name(llvm::StringRef name) {
    size_t length = 0;
    if (!name.consume_front("_Z") || name.consumeInteger(10, length)) return name.str();
    return name.take_front(length).str();
}

// Shards refer to one another by name, so nothing may be private.
void give_names(llvm::Module &module) {
    unsigned number = 0;
    for (llvm::GlobalObject &g : module.global_objects()) {
        if (!g.hasLocalLinkage()) continue;
        g.setName("rawcl.library." + std::to_string(number++));
        g.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
        g.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
}

// Declares in a shard what is defined elsewhere.
class Declarer : public llvm::ValueMaterializer {
  public:
    explicit Declarer(llvm::Module &shard) : shard(shard) {}

    llvm::Value *materialize(llvm::Value *v) override {
        auto *g = llvm::dyn_cast<llvm::GlobalValue>(v);
        if (!g || g->getParent() == &shard) return nullptr;
        if (llvm::GlobalValue *have = shard.getNamedValue(g->getName())) return have;
        if (auto *type = llvm::dyn_cast<llvm::FunctionType>(g->getValueType())) {
            auto *f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                             g->getAddressSpace(), g->getName(), &shard);
            if (auto *from = llvm::dyn_cast<llvm::Function>(g)) {
                f->setAttributes(from->getAttributes());
                f->setCallingConv(from->getCallingConv());
            }
            return f;
        }
        auto *from = llvm::cast<llvm::GlobalVariable>(g);
        auto *to = new llvm::GlobalVariable(
            shard, from->getValueType(), from->isConstant(), llvm::GlobalValue::ExternalLinkage,
            nullptr, from->getName(), nullptr, from->getThreadLocalMode(), from->getAddressSpace());
        to->setAlignment(from->getAlign());
        return to;
    }

  private:
    llvm::Module &shard;
};

void move_members(llvm::Module &shard, const Group &members,
                  const std::map<llvm::GlobalObject *, std::vector<llvm::GlobalAlias *>> &aliases,
                  std::vector<std::string> &names) {
    for (llvm::GlobalObject *g : members) {
        names.push_back(g->getName().str());
        if (auto *f = llvm::dyn_cast<llvm::Function>(g)) {
            f->removeFromParent();
            shard.getFunctionList().push_back(f);
        } else {
            auto *v = llvm::cast<llvm::GlobalVariable>(g);
            v->removeFromParent();
            shard.insertGlobalVariable(v);
        }
        auto found = aliases.find(g);
        if (found == aliases.end()) continue;
        for (llvm::GlobalAlias *a : found->second) {
            names.push_back(a->getName().str());
            a->removeFromParent();
            shard.insertAlias(a);
        }
    }
}

void remap_members(llvm::Module &shard, const Group &members) {
    llvm::ValueToValueMapTy map;
    Declarer declarer(shard);
    for (llvm::GlobalObject *g : members) {
        if (auto *f = llvm::dyn_cast<llvm::Function>(g)) {
            llvm::RemapFunction(*f, map, llvm::RF_IgnoreMissingLocals, nullptr, &declarer);
        } else {
            auto *v = llvm::cast<llvm::GlobalVariable>(g);
            v->setInitializer(
                llvm::MapValue(v->getInitializer(), map, llvm::RF_None, nullptr, &declarer));
        }
    }
}

} // namespace

extern "C" bool prepare_split(LLVMModuleRef ref, prepare_shard_fn emit, void *user) {
    llvm::Module &module = *llvm::unwrap(ref);
    give_names(module);

    std::map<llvm::GlobalObject *, std::vector<llvm::GlobalAlias *>> aliases;
    for (llvm::GlobalAlias &a : module.aliases())
        aliases[a.getAliaseeObject()].push_back(&a);

    std::map<std::string, Group> groups;
    for (llvm::GlobalObject &g : module.global_objects()) {
        if (g.isDeclaration()) continue;
        auto found = aliases.find(&g);
        llvm::StringRef name = found == aliases.end() ? g.getName() : found->second[0]->getName();
        groups[base_name(name)].push_back(&g);
    }
    // Only when every member has moved is no shard referred to from another.
    std::vector<std::unique_ptr<llvm::Module>> shards;
    std::vector<std::vector<std::string>> names;
    for (auto &[key, members] : groups) {
        shards.push_back(std::make_unique<llvm::Module>(key, module.getContext()));
        llvm::Module &shard = *shards.back();
        shard.setTargetTriple(module.getTargetTriple());
        shard.setDataLayout(module.getDataLayout());
        move_members(shard, members, aliases, names.emplace_back());
        remap_members(shard, members);
    }
    for (size_t i = 0; i < shards.size(); i++) {
        if (llvm::verifyModule(*shards[i], &llvm::errs())) return false;
        llvm::SmallVector<char, 0> bitcode;
        llvm::raw_svector_ostream stream(bitcode);
        llvm::WriteBitcodeToFile(*shards[i], stream);
        std::vector<const char *> texts;
        for (const std::string &n : names[i])
            texts.push_back(n.c_str());
        emit(user, bitcode.data(), bitcode.size(), texts.data(), texts.size());
    }
    return true;
}
