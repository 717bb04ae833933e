// W3: the sum of each 256, as a tree.
#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 2) writeonly buffer O { float o[]; };
shared float s[256];
void main()
{
    uint g = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
    s[t] = a[g * 256 + t];
    barrier();
    for (uint d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        barrier();
    }
    if (t == 0) o[g] = s[0];
}
