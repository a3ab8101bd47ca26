# Files as C strings, so that no data folder is needed:
#   cmake -DROOT=source-folder -DOUT=file.c "-DFILES=a;b" -DHEADER=papers/paper.h -DNAME=ff_builtin
#     -P cmake/embed.cmake
# FILES are paths below ROOT, and keep that name, in NAMEs[] of HEADER, with their count NAME_count.
set(code "#include \"${HEADER}\"\n\n")
set(rows "")
set(count 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" bytes HEX)
  # Sixteen bytes a line; a string literal could be too long for the standard.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  string(APPEND code "static const unsigned char file_${count}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${file}\", (const char *)file_${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND code "\nconst ${NAME} ${NAME}s[] = {\n${rows}};\nconst int ${NAME}_count = ${count};\n")
file(WRITE "${OUT}" "${code}")
