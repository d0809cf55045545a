# The vector ALU semantics (driver/emulator/isa/sem_valu_*.c), each build of them that the host runs.
set(isa_source_dir ${PROJECT_SOURCE_DIR}/driver/emulator/isa)
foreach(name sem_int sem_float sem_half sem_trans sem_cvt sem_matrix sem_rows)
  rawcl_add_test(${name} SOURCES ${name}_test.c LIBS rawcl_isa m ARGS ${isa_source_dir}/tables)
  target_compile_options(test_${name} PRIVATE -Wno-psabi)
endforeach()

# As the lifter compiles them. Its bitcode comes from clang; so does this.
find_program(RAWCL_CLANG NAMES clang-22 clang)
if(RAWCL_CLANG)
  file(GLOB sem_sources CONFIGURE_DEPENDS ${isa_source_dir}/sem_valu*.c)
  set(sem_lift_flags -std=c17 -D_GNU_SOURCE -I${PROJECT_SOURCE_DIR} -Wall -Wextra -O2 -g -fPIC
      -ffp-contract=off -fno-math-errno -fno-trapping-math -DSEM_LIFT -DSEM_SUFFIX=_lift)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND sem_lift_flags -march=x86-64-v3)
  endif()
  set(sem_lift_objects)
  foreach(src IN LISTS sem_sources)
    get_filename_component(name ${src} NAME_WE)
    set(obj ${CMAKE_CURRENT_BINARY_DIR}/lift/${name}.o)
    add_custom_command(OUTPUT ${obj}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/lift
      COMMAND ${RAWCL_CLANG} ${sem_lift_flags} -MD -MF ${obj}.d -MT ${obj} -c ${src} -o ${obj}
      DEPENDS ${src} DEPFILE ${obj}.d COMMENT "Building ${name} as the lifter does" VERBATIM)
    list(APPEND sem_lift_objects ${obj})
  endforeach()
  set_source_files_properties(${sem_lift_objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(sem_lift STATIC ${sem_lift_objects})
  set_target_properties(sem_lift PROPERTIES LINKER_LANGUAGE C)
  rawcl_add_test(sem_lift SOURCES sem_lift_test.c LIBS rawcl_isa sem_lift m)
  rawcl_add_test(sem_lift_float SOURCES sem_float_test.c LIBS rawcl_isa sem_lift m)
  rawcl_add_test(sem_lift_trans SOURCES sem_trans_test.c LIBS rawcl_isa sem_lift m)
  target_compile_definitions(test_sem_lift_float PRIVATE SEM_TEST_LIFT)
  target_compile_definitions(test_sem_lift_trans PRIVATE SEM_TEST_LIFT)
  foreach(name sem_lift sem_lift_float sem_lift_trans)
    target_compile_options(test_${name} PRIVATE -Wno-psabi)
  endforeach()
endif()
