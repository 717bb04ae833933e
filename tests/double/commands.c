/* Queues, command buffers and encoders of the double, and what they do on the software device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "send.h"
#include "tables.h"

enum { NOT_ENQUEUED = 0, COMMITTED = 2, COMPLETED = 4, FAILED = 5 };

/* ---- Queues ---------------------------------------------------------------------------------------------------- */

value new_queue(message *m)
{
    if (fails(DOUBLE_NO_QUEUE)) return (value){0};
    object *o = make("MTLCommandQueue");
    hold(&o->held[HELD_DEVICE], m->self);
    return (value){.o = o};
}

static value make_commands(object *queue, bool described)
{
    if (fails(DOUBLE_NO_COMMANDS)) return (value){0};
    object *o = make("MTLCommandBuffer");
    hold(&o->held[HELD_QUEUE], queue);
    hold(&o->held[HELD_DEVICE], queue->held[HELD_DEVICE]);
    o->flag[FLAG_DESCRIBED] = described;
    return (value){.o = o};
}

static value commands(message *m)
{
    return make_commands(m->self, false);
}

static value commands_described(message *m)
{
    return make_commands(m->self, m->args[0].o->number[NUMBER_ERROR_OPTIONS] == 1);
}

static value set_error_options(message *m)
{
    m->self->number[NUMBER_ERROR_OPTIONS] = (int64_t)m->args[0].u;
    return (value){0};
}

/* ---- Encoders -------------------------------------------------------------------------------------------------- */

static value make_encoder(object *commands, const char *class, bool compute)
{
    if (commands->flag[FLAG_COMMITTED]) complain("an encoder of a command buffer that is committed");
    if (commands->held[HELD_ENCODER] != NULL) complain("an encoder while another of the same command buffer is open");
    if (fails(DOUBLE_NO_ENCODER)) return (value){0};
    object *o = make(class);
    hold(&o->held[HELD_COMMANDS], commands);
    o->flag[FLAG_COMPUTE] = compute;
    o->draft = grab(1, sizeof *o->draft);
    commands->held[HELD_ENCODER] = o; /* not counted */
    return (value){.o = o};
}

static value compute_encoder(message *m)
{
    return make_encoder(m->self, "MTLComputeCommandEncoder", true);
}

static value blit_encoder(message *m)
{
    return make_encoder(m->self, "MTLBlitCommandEncoder", false);
}

static void drop_command(command *c)
{
    release(c->pipeline);
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        release(c->buffers[i]);
        free(c->bytes[i]);
    }
    free(c);
}

void drop_encoder(object *encoder)
{
    if (!encoder->flag[FLAG_ENDED]) {
        complain("an encoder is released without endEncoding");
        encoder->held[HELD_COMMANDS]->held[HELD_ENCODER] = NULL;
    }
    drop_command(encoder->draft);
    encoder->draft = NULL;
}

void free_commands(object *commands)
{
    if (commands->held[HELD_ENCODER] != NULL) complain("a command buffer is released with an encoder open");
    commands->held[HELD_ENCODER] = NULL;
    if (commands->number[NUMBER_STATUS] == COMMITTED) complain("a command buffer was committed and never waited for");
    while (commands->first != NULL) {
        command *next = commands->first->next;
        drop_command(commands->first);
        commands->first = next;
    }
}

static bool is_open(const message *m)
{
    if (!m->self->flag[FLAG_ENDED]) return true;
    complain("%s after endEncoding", m->selector);
    return false;
}

static value end_encoding(message *m)
{
    if (!is_open(m)) return (value){0};
    m->self->flag[FLAG_ENDED] = true;
    m->self->held[HELD_COMMANDS]->held[HELD_ENCODER] = NULL;
    return (value){0};
}

/* A copy of the draft, with references of its own, at the end of the command buffer. */
static command *add_command(object *encoder)
{
    const command *draft = encoder->draft;
    command *c = grab(1, sizeof *c);
    *c = *draft;
    c->next = NULL;
    retain(c->pipeline);
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        retain(c->buffers[i]);
        if (c->bytes[i] == NULL) continue;
        c->bytes[i] = grab(c->byte_counts[i], 1);
        memcpy(c->bytes[i], draft->bytes[i], c->byte_counts[i]);
    }
    object *commands = encoder->held[HELD_COMMANDS];
    if (commands->last != NULL) commands->last->next = c;
    else commands->first = c;
    commands->last = c;
    return c;
}

static value signpost(message *m)
{
    if (!is_open(m)) return (value){0};
    command *c = add_command(m->self);
    release(c->pipeline); /* a command with nothing to do and a name */
    c->pipeline = NULL;
    c->size = 0;
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) hold(&c->buffers[i], NULL);
    hold(&c->buffers[0], m->args[0].o);
    return (value){0};
}

static value set_pipeline(message *m)
{
    if (is_open(m)) hold(&m->self->draft->pipeline, m->args[0].o);
    return (value){0};
}

static void clear_slot(command *c, size_t slot)
{
    hold(&c->buffers[slot], NULL);
    free(c->bytes[slot]);
    c->bytes[slot] = NULL;
    c->byte_counts[slot] = 0;
}

static value set_buffer(message *m)
{
    object *buffer = m->args[0].o;
    uint64_t offset = m->args[1].u, slot = m->args[2].u;
    if (!is_open(m)) return (value){0};
    if (slot >= EMU_MAX_BUFFERS) complain("setBuffer at index %llu", (unsigned long long)slot);
    else if (buffer == NULL || offset > buffer->size) complain("setBuffer with offset %llu", (unsigned long long)offset);
    else {
        clear_slot(m->self->draft, (size_t)slot);
        hold(&m->self->draft->buffers[slot], buffer);
        m->self->draft->offsets[slot] = (size_t)offset;
    }
    return (value){0};
}

static value set_bytes(message *m)
{
    uint64_t size = m->args[1].u, slot = m->args[2].u;
    if (!is_open(m)) return (value){0};
    if (slot >= EMU_MAX_BUFFERS || size == 0 || size > 4096) {
        complain("setBytes of %llu bytes at index %llu", (unsigned long long)size, (unsigned long long)slot);
        return (value){0};
    }
    clear_slot(m->self->draft, (size_t)slot);
    m->self->draft->bytes[slot] = grab((size_t)size, 1);
    memcpy(m->self->draft->bytes[slot], m->args[0].p, (size_t)size);
    m->self->draft->byte_counts[slot] = (size_t)size;
    return (value){0};
}

static value set_threadgroup(message *m)
{
    uint64_t size = m->args[0].u, slot = m->args[1].u;
    if (!is_open(m)) return (value){0};
    if (slot >= EMU_MAX_THREADGROUP_ARGS || size == 0 || size % 16 != 0 || size > EMU_MAX_THREADGROUP_BYTES) {
        complain("setThreadgroupMemoryLength:%llu atIndex:%llu", (unsigned long long)size, (unsigned long long)slot);
    } else {
        m->self->draft->lengths[slot] = (size_t)size;
    }
    return (value){0};
}

static bool fits(size3 grid, size3 group, const object *pipeline)
{
    uint64_t most = emu_kernel_describe(pipeline->kernel)->max_threads;
    if (grid.width == 0 || grid.height == 0 || grid.depth == 0) return false;
    if (group.width == 0 || group.height == 0 || group.depth == 0) return false;
    return group.width <= most && group.height <= most && group.depth <= most && group.width * group.height * group.depth <= most;
}

static value dispatch_groups(message *m)
{
    if (!is_open(m)) return (value){0};
    if (m->self->draft->pipeline == NULL) {
        complain("a dispatch without a pipeline");
    } else if (!fits(m->args[0].size, m->args[1].size, m->self->draft->pipeline)) {
        complain("a dispatch of %llu x %llu x %llu groups of %llu x %llu x %llu threads", (unsigned long long)m->args[0].size.width,
                 (unsigned long long)m->args[0].size.height, (unsigned long long)m->args[0].size.depth,
                 (unsigned long long)m->args[1].size.width, (unsigned long long)m->args[1].size.height,
                 (unsigned long long)m->args[1].size.depth);
    } else {
        command *c = add_command(m->self);
        c->grid = m->args[0].size;
        c->group = m->args[1].size;
    }
    return (value){0};
}

static bool is_inside(const object *buffer, uint64_t offset, uint64_t size)
{
    return buffer != NULL && offset <= buffer->size && size <= buffer->size - offset;
}

static value copy_buffer(message *m)
{
    object *from = m->args[0].o, *to = m->args[2].o;
    uint64_t from_offset = m->args[1].u, to_offset = m->args[3].u, size = m->args[4].u;
    if (!is_open(m)) return (value){0};
    bool apart = from != to || from_offset + size <= to_offset || to_offset + size <= from_offset;
    if (!is_inside(from, from_offset, size) || !is_inside(to, to_offset, size) || size == 0) complain("a copy outside of its buffers");
    else if ((from_offset | to_offset | size) % 4 != 0) complain("a copy of other than whole words");
    else if (!apart) complain("a copy between ranges that overlap");
    else {
        command *c = add_command(m->self);
        hold(&c->buffers[0], from);
        hold(&c->buffers[1], to);
        c->offsets[0] = (size_t)from_offset;
        c->offsets[1] = (size_t)to_offset;
        c->size = (size_t)size;
    }
    return (value){0};
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

static ingot_status run_dispatch(const command *c, ingot_error *error)
{
    emu_binding bindings[EMU_MAX_BUFFERS];
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        bindings[i] = (emu_binding){c->bytes[i], c->byte_counts[i]};
        if (c->buffers[i] != NULL) bindings[i] = (emu_binding){c->buffers[i]->bytes + c->offsets[i], c->buffers[i]->size - c->offsets[i]};
    }
    emu_launch launch = {.kernel = c->pipeline->kernel,
                         .buffers = bindings,
                         .buffer_count = EMU_MAX_BUFFERS,
                         .threadgroup_lengths = c->lengths,
                         .threadgroup_count = EMU_MAX_THREADGROUP_ARGS,
                         .groups = {(uint32_t)c->grid.width, (uint32_t)c->grid.height, (uint32_t)c->grid.depth},
                         .threads = {(uint32_t)c->group.width, (uint32_t)c->group.height, (uint32_t)c->group.depth}};
    return emu_run(&launch, error);
}

/* The error of a command buffer, saying which marks were reached where it was asked to. */
static void set_error(object *commands, int64_t code, const char *text, const object *marks)
{
    object *error = make_error(code, text);
    hold(&commands->held[HELD_ERROR], error);
    commands->number[NUMBER_STATUS] = FAILED;
    if (!commands->flag[FLAG_DESCRIBED] || state.options.no_signposts) return;
    object *info = make("MTLCommandBufferEncoderInfo"), *array = make_array(&info, 1), *dictionary = make("NSDictionary");
    info->number[NUMBER_STATE] = 4;
    object *copy = make_array(marks->items, marks->size);
    hold(&info->held[HELD_MARKS], copy);
    hold(&dictionary->held[HELD_KEY], MTLCommandBufferEncoderInfoErrorKey);
    hold(&dictionary->held[HELD_VALUE], array);
    hold(&error->held[HELD_USER_INFO], dictionary);
    release(copy);
    release(info);
    release(array);
    release(dictionary);
}

void run_commands(object *commands)
{
    ingot_error error = {.status = INGOT_OK};
    object *marks = make("NSArray");
    marks->items = grab(1024, sizeof *marks->items);
    commands->number[NUMBER_START] = state.clock;
    commands->number[NUMBER_STATUS] = COMPLETED;
    bool stops = commands->first != NULL && fails(DOUBLE_COMMAND_ERROR);
    for (const command *c = commands->first; c != NULL && commands->number[NUMBER_STATUS] == COMPLETED; c = c->next) {
        if (c->pipeline == NULL && c->size == 0) {
            if (marks->size < 1024) marks->items[marks->size++] = retain(c->buffers[0]);
        } else if (c->pipeline == NULL) {
            memcpy(c->buffers[1]->bytes + c->offsets[1], c->buffers[0]->bytes + c->offsets[0], c->size);
        } else if (run_dispatch(c, &error) != INGOT_OK) {
            set_error(commands, 3, error.message, marks);
        }
        state.clock += 10;
    }
    if (stops) set_error(commands, 2, "Caused GPU Timeout Error (00000002:kIOAccelCommandBufferCallbackErrorTimeout)", marks);
    commands->number[NUMBER_END] = state.clock;
    release(marks);
}

static value commit(message *m)
{
    if (m->self->flag[FLAG_COMMITTED]) complain("a command buffer is committed twice");
    if (m->self->held[HELD_ENCODER] != NULL) complain("commit with an encoder open");
    if (m->self->label == NULL || m->self->label[0] == '\0') complain("a command buffer without a label");
    m->self->flag[FLAG_COMMITTED] = true;
    m->self->number[NUMBER_STATUS] = COMMITTED;
    return (value){0};
}

/* Those of the same queue that were committed before run first: objects stand newest first in the list of all. */
static void run_up_to(object *commands)
{
    const object *queue = commands->held[HELD_QUEUE];
    for (;;) {
        object *oldest = NULL;
        for (object *o = state.objects; o != NULL; o = o->next) {
            bool waits = !o->is_dead && is_a(o, "MTLCommandBuffer") && o->held[HELD_QUEUE] == queue && o->number[NUMBER_STATUS] == COMMITTED;
            if (waits) oldest = o;
        }
        if (oldest == NULL) return;
        run_commands(oldest);
        if (oldest == commands) return;
    }
}

static value wait(message *m)
{
    if (!m->self->flag[FLAG_COMMITTED]) complain("waitUntilCompleted before commit");
    else if (m->self->number[NUMBER_STATUS] == COMMITTED) run_up_to(m->self);
    return (value){0};
}

static value command_status(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_STATUS]};
}

static value command_error(message *m)
{
    return (value){.o = retain(m->self->held[HELD_ERROR])};
}

static value gpu_start(message *m)
{
    return (value){.d = (double)m->self->number[NUMBER_START] * 1e-6};
}

static value gpu_end(message *m)
{
    return (value){.d = (double)m->self->number[NUMBER_END] * 1e-6};
}

static value marks_of(message *m)
{
    return (value){.o = retain(m->self->held[HELD_MARKS])};
}

static value error_state(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_STATE]};
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

#define LABEL {"- (void)setLabel:(NSString *)label", set_label, false}
#define ENCODER                                                                                                               \
    LABEL, {"- (void)endEncoding", end_encoding, false},                                                                      \
    {                                                                                                                         \
        "- (void)insertDebugSignpost:(NSString *)string", signpost, false                                                     \
    }

static const method queue_methods[] = {
    LABEL,
    {"- (id<MTLCommandBuffer>)commandBuffer", commands, false},
    {"- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor", commands_described, true},
};
static const method how_methods[] = {{"- (void)setErrorOptions:(MTLCommandBufferErrorOption)errorOptions", set_error_options, true}};
static const method commands_methods[] = {
    LABEL,
    {"- (id<MTLComputeCommandEncoder>)computeCommandEncoder", compute_encoder, false},
    {"- (id<MTLBlitCommandEncoder>)blitCommandEncoder", blit_encoder, false},
    {"- (void)commit", commit, false},
    {"- (void)waitUntilCompleted", wait, false},
    {"- (MTLCommandBufferStatus)status", command_status, false},
    {"- (NSError *)error", command_error, false},
    {"- (CFTimeInterval)GPUStartTime", gpu_start, false},
    {"- (CFTimeInterval)GPUEndTime", gpu_end, false},
};
static const method compute_methods[] = {
    ENCODER,
    {"- (void)setComputePipelineState:(id<MTLComputePipelineState>)state", set_pipeline, false},
    {"- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index", set_buffer, false},
    {"- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index", set_bytes, false},
    {"- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index", set_threadgroup, false},
    {"- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup", dispatch_groups,
     false},
};
static const method blit_methods[] = {
    ENCODER,
    {"- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer sourceOffset:(NSUInteger)sourceOffset toBuffer:(id<MTLBuffer>)destinationBuffer "
     "destinationOffset:(NSUInteger)destinationOffset size:(NSUInteger)size",
     copy_buffer, false},
};
static const method info_methods[] = {
    {"- (NSArray<NSString *> *)debugSignposts", marks_of, true},
    {"- (MTLCommandEncoderErrorState)errorState", error_state, true},
};

#define ROWS(TABLE) TABLE, sizeof(TABLE) / sizeof(TABLE)[0]
const class_info queue_class = {"MTLCommandQueue", ROWS(queue_methods), false, false};
const class_info how_class = {"MTLCommandBufferDescriptor", ROWS(how_methods), true, true};
const class_info commands_class = {"MTLCommandBuffer", ROWS(commands_methods), false, false};
const class_info compute_class = {"MTLComputeCommandEncoder", ROWS(compute_methods), false, false};
const class_info blit_class = {"MTLBlitCommandEncoder", ROWS(blit_methods), false, false};
const class_info info_class = {"MTLCommandBufferEncoderInfo", ROWS(info_methods), false, false};
