#!/bin/sh
# command.sh: the command on a stand-in for Apple's libraries, which fails it where a message is wrong or something is left over.
# usage: tests/native/command.sh INGOT NPY (from the project's folder)
. "${0%/*}/../cli/harness"

ingot_is 0 devices
out "metal:0  Test double GPU 0"
out "    a threadgroup: 1024 threads (1024 x 1024 x 1024 at most), 32768 bytes of memory"
out "    buffers: up to 268435456 bytes, shared with the CPU"
out "    families: apple8 mac2 common3 metal3"
out "emu:0  Ingot software Metal device"
ingot_is 0 devices --json
out '"runs_on": "native"'
out '"families": "apple8 mac2 common3 metal3"'
bad 1 "there is 1 native Metal device; number 1 was asked for" run "$root/examples/add_one.py" --device metal:1

# The same report on the GPU as on the software device; the default is the GPU.
for program in add_one matmul reduce two_kernels; do
    ingot_is 0 run "$root/examples/$program.py" --seed 3 --device emu
    cp .out wanted
    ingot_is 0 run "$root/examples/$program.py" --seed 3 --device native -v
    err "device native:0: Test double GPU 0"
    check "$program" diff wanted .out
    ingot_is 0 run "$root/examples/$program.py" --seed 3 -v
    err "device metal:0: Test double GPU 0"
    check "$program by default" diff wanted .out
done

# Its clock: every launch takes 20 microseconds.
ingot_is 0 run "$root/examples/add_one.py" --time
out "time of main_kernel: 0.020 ms"
ingot_is 0 run "$root/examples/add_one.py" --time --json
out '"seconds": '

ingot_is 0 run "$root/examples/two_kernels.py" --archive kept -v
err "wrote kept"
check "the archive" grep -q '^main_kernel_1$' kept
ingot_is 0 run "$root/examples/two_kernels.py" --archive kept
bad 1 "set METAL_CAPTURE_ENABLED=1" run "$root/examples/add_one.py" --capture x.gputrace
done_testing
