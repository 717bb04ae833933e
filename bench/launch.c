/* What a launch costs when the kernel does next to nothing. */
#include "device.h"

enum { LAUNCHES = 1000 };

static void launch_and_wait(void *user)
{
    bench_device_call(user);
    bench_device_sync(user);
}

static void launch_many(void *user)
{
    for (int i = 0; i < LAUNCHES; i++) bench_device_call(user);
    bench_device_sync(user);
}

void bench_launch(bench_report *r, const char *root, unsigned threads)
{
    static const int64_t shapes[1][2] = {{1, 0}};
    bench_device d;
    bench_device_open(&d, root, "empty.py", threads, 1, shapes);
    double alone = bench_time(launch_and_wait, &d, bench_now, 1000, 0.5);
    double row = bench_time(launch_many, &d, bench_now, 5, 0.5) / LAUNCHES;
    bench_device_close(&d);
    bench_figure(r, "launch_us", "empty kernel, call and wait", alone * 1e6, "us");
    bench_figure(r, "launch_in_a_row_us", "empty kernel, one of a thousand calls in a row", row * 1e6, "us");
}
