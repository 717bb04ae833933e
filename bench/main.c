/* The benchmarks in process. usage: ingot_bench ROOT FILE.json THREADS */
#include <stdlib.h>

#include "bench.h"

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: ingot_bench ROOT FILE.json THREADS\n");
        return 2;
    }
    int threads = atoi(argv[3]); // NOLINT(cert-err34-c): checked below
    bench_report report = {fopen(argv[2], "w"), 0};
    if (!report.json || threads < 1) {
        fprintf(stderr, "bench: cannot write %s, or no threads\n", argv[2]);
        return 1;
    }
    bench_compile(&report, argv[1]);
    bench_metal(&report);
    bench_launch(&report, argv[1], (unsigned)threads);
    bench_work(&report, argv[1], (unsigned)threads);
    fprintf(report.json, "\n}\n");
    return fclose(report.json) == 0 ? 0 : 1;
}
