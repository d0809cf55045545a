# The vector ALU semantics (driver/emulator/isa/sem_valu_*.c), each build of them that the host runs.
foreach(name sem_int sem_float sem_half sem_trans sem_cvt sem_matrix sem_rows)
  rawcl_add_test(${name} SOURCES ${name}_test.c LIBS rawcl_isa m
                 ARGS ${PROJECT_SOURCE_DIR}/driver/emulator/isa/tables)
  target_compile_options(test_${name} PRIVATE -Wno-psabi)
endforeach()
