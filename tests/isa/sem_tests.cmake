# The vector ALU semantics (driver/emulator/isa/sem_valu_*.c), each build of them that the host runs.
foreach(name sem_int sem_float)
  rawcl_add_test(${name} SOURCES ${name}_test.c LIBS rawcl_isa)
  target_compile_options(test_${name} PRIVATE -Wno-psabi)
endforeach()
