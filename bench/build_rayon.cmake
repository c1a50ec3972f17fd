# Builds the rayon contender with cargo and copies it to the other contenders. Without crates or network it prints a
# warning and continues.
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env SKUA_BENCH_KERNELS=${KERNELS} CARGO_TARGET_DIR=${OUTPUT}/cargo
    ${CARGO} build --release --locked --quiet
  WORKING_DIRECTORY ${CRATE} RESULT_VARIABLE failed ERROR_VARIABLE why)
if(failed EQUAL 0)
  file(COPY ${OUTPUT}/cargo/release/peer_rayon DESTINATION ${OUTPUT})
else()
  message(WARNING "peer_rayon is not built; output of cargo:\n${why}")
endif()
