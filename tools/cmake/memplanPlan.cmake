# SPDX-License-Identifier: MIT
#
# The build step
#
#	memplan_plan(GRAPH OUTPUT FILE... [ARGUMENTS ARGUMENT...])
#
# plans again whenever the graph or a file beside it has changed. Outputs lie in the
# binary folder.

# The dependency file names the graph and all that is read with it.
function(memplan_plan graph)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OUTPUT;ARGUMENTS")
  get_filename_component(graph "${graph}" ABSOLUTE)
  foreach(file IN LISTS arg_OUTPUT)
    get_filename_component(file "${file}" ABSOLUTE
      BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    list(APPEND files "${file}")
    list(APPEND options -o "${file}")
  endforeach()
  list(GET files 0 first)
  add_custom_command(
    OUTPUT ${files}
    COMMAND memplan::program plan --quiet ${arg_ARGUMENTS} "${graph}" ${options}
      --depfile "${first}.d"
    DEPFILE "${first}.d"
    COMMENT "Planning ${graph}"
    VERBATIM)
endfunction()
