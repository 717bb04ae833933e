/* The workloads W1 to W3 of emu_kernels.c as SPIR-V on a Vulkan device, for lavapipe: milliseconds a launch, the least of RUNS by the
 * processor time of all threads. The first launch, which compiles, does not count.
 * usage: vk_kernels FOLDER [RUNS]     with add.spv, matmul.spv and reduce.spv in the folder, from the sources in bench/vk */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { N = 16 << 20, BUFFERS = 3 };

typedef struct workload {
    const char *name, *file;
    uint32_t groups[2];
    float (*want)(const float *a, const float *b); /* what stands in the last element that is written */
    size_t last;
} workload;

static float last_sum(const float *a, const float *b)
{
    (void)b;
    return a[N - 1] + 1;
}
static float last_product(const float *a, const float *b)
{
    double sum = 0;
    for (size_t k = 0; k < 512; ++k) sum += (double)a[511 * 512 + k] * (double)b[k * 512 + 511];
    return (float)sum;
}
static float last_tree(const float *a, const float *b)
{
    (void)b;
    double sum = 0;
    for (size_t k = N - 256; k < N; ++k) sum += (double)a[k];
    return (float)sum;
}

/* Grids have two dimensions, as one of Vulkan's need not have more than 65,535 groups. */
static const workload workloads[] = {
    {"W1 add-one 16Mi", "add.spv", {256, 256}, last_sum, N - 1},
    {"W2 matmul 512^3", "matmul.spv", {32, 32}, last_product, 512 * 512 - 1},
    {"W3 reduce 16Mi", "reduce.spv", {256, 256}, last_tree, N / 256 - 1},
};

typedef struct machine {
    VkDevice device;
    VkQueue queue;
    VkCommandPool commands;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
    float *data[BUFFERS];
} machine;

static void must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS) return;
    fprintf(stderr, "%s: Vulkan error %d\n", what, (int)result);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The first device, with one queue for computing; its memory that the host sees. */
static void open_device(machine *m, uint32_t *memory_type)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    must(vkCreateInstance(&info, NULL, &instance), "instance");
    VkPhysicalDevice physical;
    uint32_t count = 1;
    const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (found != VK_INCOMPLETE) must(found, "devices");
    if (count == 0) must(VK_ERROR_INCOMPATIBLE_DRIVER, "no device");
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    printf("# %s\n", properties.deviceName);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    must(vkCreateDevice(physical, &device, NULL, &m->device), "device");
    vkGetDeviceQueue(m->device, 0, 0, &m->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    must(vkCreateCommandPool(m->device, &pool, NULL, &m->commands), "commands");
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (*memory_type = 0; *memory_type < memory.memoryTypeCount; ++*memory_type)
        if ((memory.memoryTypes[*memory_type].propertyFlags & wanted) == wanted) return;
    must(VK_ERROR_FEATURE_NOT_PRESENT, "memory that the host sees");
}

/* A storage buffer of N floats, mapped. */
static VkBuffer make_buffer(machine *m, uint32_t memory_type, float **data)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = (VkDeviceSize)N * 4,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    must(vkCreateBuffer(m->device, &info, NULL, &buffer), "buffer");
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(m->device, buffer, &need);
    const VkMemoryAllocateInfo bytes = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size,
                                        .memoryTypeIndex = memory_type};
    VkDeviceMemory memory;
    must(vkAllocateMemory(m->device, &bytes, NULL, &memory), "memory");
    must(vkBindBufferMemory(m->device, buffer, memory, 0), "memory");
    void *at;
    must(vkMapMemory(m->device, memory, 0, VK_WHOLE_SIZE, 0, &at), "memory");
    *data = at;
    return buffer;
}

/* Three storage buffers at bindings 0 to 2. */
static void bind_buffers(machine *m, uint32_t memory_type)
{
    VkDescriptorSetLayoutBinding slots[BUFFERS];
    for (uint32_t k = 0; k < BUFFERS; ++k)
        slots[k] = (VkDescriptorSetLayoutBinding){.binding = k, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_layout = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS,
                                                        .pBindings = slots};
    must(vkCreateDescriptorSetLayout(m->device, &set_layout, NULL, &m->set_layout), "layout");
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                               .pSetLayouts = &m->set_layout};
    must(vkCreatePipelineLayout(m->device, &layout, NULL, &m->layout), "layout");
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    VkDescriptorPool pool;
    must(vkCreateDescriptorPool(m->device, &pool_info, NULL, &pool), "descriptors");
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
                                             .descriptorSetCount = 1, .pSetLayouts = &m->set_layout};
    must(vkAllocateDescriptorSets(m->device, &set, &m->set), "descriptors");
    for (uint32_t k = 0; k < BUFFERS; ++k) {
        const VkDescriptorBufferInfo info = {make_buffer(m, memory_type, &m->data[k]), 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = m->set, .dstBinding = k,
                                            .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &info};
        vkUpdateDescriptorSets(m->device, 1, &write, 0, NULL);
    }
}

static VkPipeline load(machine *m, const char *folder, const char *file)
{
    static uint32_t code[1 << 14];
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    const size_t words = fread(code, 4, sizeof code / 4, f);
    (void)fclose(f);
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words * 4, .pCode = code};
    VkShaderModule module;
    must(vkCreateShaderModule(m->device, &info, NULL, &module), path);
    const VkComputePipelineCreateInfo pipeline_info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = m->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module,
                  .pName = "main"}};
    VkPipeline pipeline;
    must(vkCreateComputePipelines(m->device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline), path);
    return pipeline;
}

static double measure(machine *m, VkPipeline pipeline, const workload *w, int runs)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = m->commands,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    VkCommandBuffer buffer;
    must(vkAllocateCommandBuffers(m->device, &info, &buffer), "commands");
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    must(vkBeginCommandBuffer(buffer, &begin), "commands");
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, m->layout, 0, 1, &m->set, 0, NULL);
    vkCmdDispatch(buffer, w->groups[0], w->groups[1], 1);
    must(vkEndCommandBuffer(buffer), "commands");
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &buffer};
    double least = 1e30;
    for (int r = 0; r <= runs; ++r) {
        const double from = now();
        must(vkQueueSubmit(m->queue, 1, &submit, VK_NULL_HANDLE), w->name);
        must(vkQueueWaitIdle(m->queue), w->name);
        const double t = now() - from;
        if (r > 0 && t < least) least = t;
    }
    return least;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: vk_kernels FOLDER [RUNS]\n");
        return 2;
    }
    const int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 7;
    machine m = {.device = NULL};
    uint32_t memory_type;
    open_device(&m, &memory_type);
    bind_buffers(&m, memory_type);
    for (size_t i = 0; i < N; ++i) {
        m.data[0][i] = (float)(i * 2654435761u % 1000) / 500.0f - 1;
        m.data[1][i] = (float)(i * 40503u % 1000) / 1000.0f;
        m.data[2][i] = 0;
    }
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; ++i) {
        const workload *w = &workloads[i];
        const double ms = measure(&m, load(&m, argv[1], w->file), w, runs);
        const float got = m.data[2][w->last], want = w->want(m.data[0], m.data[1]), difference = got > want ? got - want : want - got;
        if (!(difference <= 1e-3f)) {
            fprintf(stderr, "%s: %g in place of %g\n", w->name, (double)got, (double)want);
            return 1;
        }
        printf("%-24s %12.3f\n", w->name, ms);
    }
    return 0;
}
