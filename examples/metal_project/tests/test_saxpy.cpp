// Runs saxpy.metal's kernels with all checks on the software Metal device and compares with the host.
#include <ingot/ingot.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &what)
{
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
    std::exit(1);
}

void good(ingot_status status, const ingot_error &error)
{
    if (status != INGOT_OK) fail(error.message);
}

// The little of Metal that these tests need: one dispatch at a time.
class Gpu {
public:
    explicit Gpu(const char *path)
    {
        std::ifstream file(path);
        if (!file) fail(std::string("cannot read ") + path);
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        ingot_metal_library_options options = INGOT_METAL_LIBRARY_OPTIONS_INIT;
        options.file_name = path;
        good(ingot_metal_device_create(0, nullptr, &device_, &error_), error_);
        good(ingot_metal_library_create(device_, text.data(), text.size(), &options, &library_, &error_), error_);
        good(ingot_metal_queue_create(device_, &queue_, &error_), error_);
        good(ingot_checker_create(nullptr, nullptr, &checker_, &error_), error_);
    }
    ~Gpu()
    {
        for (ingot_metal_buffer *b : buffers_) ingot_metal_buffer_release(b);
        ingot_checker_release(checker_);
        ingot_metal_queue_release(queue_);
        ingot_metal_library_release(library_);
        ingot_metal_device_release(device_);
    }
    Gpu(const Gpu &) = delete;
    Gpu &operator=(const Gpu &) = delete;

    float *buffer(const std::vector<float> &values)
    {
        ingot_metal_buffer *b = nullptr;
        good(ingot_metal_buffer_create_with_bytes(device_, values.data(), values.size() * sizeof(float), &b, &error_), error_);
        buffers_.push_back(b);
        return static_cast<float *>(ingot_metal_buffer_contents(b));
    }

    template <class Bind> void run(const char *kernel, uint32_t grid, uint32_t threads, Bind bind)
    {
        ingot_metal_function *function = nullptr;
        ingot_metal_pipeline *pipeline = nullptr;
        ingot_metal_command_buffer *work = nullptr;
        ingot_metal_encoder *e = nullptr;
        const uint32_t grid3[3] = {grid, 1, 1}, threads3[3] = {threads, 1, 1};
        good(ingot_metal_function_create(library_, kernel, nullptr, 0, &function, &error_), error_);
        good(ingot_metal_pipeline_create(function, &pipeline, &error_), error_);
        good(ingot_metal_command_buffer_create(queue_, &work, &error_), error_);
        good(ingot_metal_command_buffer_check(work, checker_, &error_), error_);
        good(ingot_metal_encoder_create(work, &e, &error_), error_);
        // As in Metal's own host code, what these return may be left unread: commit reports the first error.
        ingot_metal_encoder_set_pipeline(e, pipeline, nullptr);
        for (uint32_t i = 0; i < buffers_.size(); ++i) ingot_metal_encoder_set_buffer(e, buffers_[i], 0, i, nullptr);
        bind(e);
        ingot_metal_encoder_dispatch_threadgroups(e, grid3, threads3, nullptr);
        ingot_metal_encoder_end(e, nullptr);
        good(ingot_metal_command_buffer_commit(work, &error_), error_);
        good(ingot_metal_command_buffer_wait(work, &error_), error_);
        ingot_metal_encoder_release(e);
        ingot_metal_command_buffer_release(work);
        ingot_metal_pipeline_release(pipeline);
        ingot_metal_function_release(function);
        report();
    }

private:
    void report()
    {
        for (size_t i = 0; i < ingot_checker_count(checker_); ++i) {
            ingot_finding finding;
            ingot_text *text = nullptr;
            if (ingot_checker_finding(checker_, i, &finding) != INGOT_OK) continue;
            if (ingot_finding_format(&finding, 0, &text, nullptr) == INGOT_OK) std::fputs(ingot_text_data(text), stderr);
            ingot_text_release(text);
        }
        if (ingot_checker_count(checker_) != 0) fail("the checks found something");
    }

    ingot_error error_{};
    ingot_metal_device *device_ = nullptr;
    ingot_metal_library *library_ = nullptr;
    ingot_metal_queue *queue_ = nullptr;
    ingot_checker *checker_ = nullptr;
    std::vector<ingot_metal_buffer *> buffers_;
};

void test_saxpy(const char *path)
{
    Gpu gpu(path);
    std::vector<float> x(1000), y(1000);
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i);
        y[i] = static_cast<float>(i % 7);
    }
    gpu.buffer(x);
    const float *result = gpu.buffer(y);
    const float a = 0.5F;
    const uint32_t n = 1000;
    gpu.run("saxpy", 4, 256, [&](ingot_metal_encoder *e) {
        ingot_metal_encoder_set_bytes(e, &a, sizeof a, 2, nullptr);
        ingot_metal_encoder_set_bytes(e, &n, sizeof n, 3, nullptr);
    });
    for (size_t i = 0; i < x.size(); ++i)
        if (result[i] != a * x[i] + y[i]) fail("saxpy: element " + std::to_string(i)); // exact: halves of small numbers
}

void test_sum(const char *path)
{
    Gpu gpu(path);
    std::vector<float> x(256);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    gpu.buffer(x);
    const float *result = gpu.buffer({0.0F});
    gpu.run("sum", 1, 256, [](ingot_metal_encoder *e) {
        ingot_metal_encoder_set_threadgroup_memory_length(e, 256 * sizeof(float), 0, nullptr);
    });
    if (result[0] != 255.0F * 256.0F / 2.0F) fail("sum");
}

} // namespace

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "kernels/saxpy.metal";
    test_saxpy(path);
    test_sum(path);
    std::puts("ok");
    return 0;
}
