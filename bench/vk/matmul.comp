// W2: a product of matrices of 512, by tiles of 16.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer O { float o[]; };
shared float as[256], bs[256];
void main()
{
    int x = int(gl_LocalInvocationID.x), y = int(gl_LocalInvocationID.y);
    int gx = int(gl_WorkGroupID.x), gy = int(gl_WorkGroupID.y);
    float sum = 0.0;
    for (int ko = 0; ko < 32; ++ko) {
        as[y * 16 + x] = a[gy * 8192 + y * 512 + ko * 16 + x];
        bs[y * 16 + x] = b[ko * 8192 + y * 512 + gx * 16 + x];
        barrier();
        for (int ki = 0; ki < 16; ++ki) sum += as[y * 16 + ki] * bs[ki * 16 + x];
        barrier();
    }
    o[gy * 8192 + y * 512 + gx * 16 + x] = sum;
}
