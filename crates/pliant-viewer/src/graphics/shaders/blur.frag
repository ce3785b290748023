// Blurs the coverage over its neighbourhood: from the depth map of the light, or from the first pass.
uniform sampler2D source;
uniform vec2 stride;
uniform float isDepth;
in vec2 where;
out vec4 outColor;

float covered(vec2 at) {
    float v = texture(source, at).r;
    return isDepth > 0.5 ? step(v, 0.9999) : v;
}

void main() {
    float sum = 0.0;
    float weights = 0.0;
    for (int i = -7; i <= 7; i++) {
        float w = exp(-float(i * i) / 22.0);
        sum += w * covered(where + float(i) * stride);
        weights += w;
    }
    outColor = vec4(vec3(sum / weights), 1.0);
}
