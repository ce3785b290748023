// A line with a width in pixels: one rectangle along each segment.
uniform mat4 viewMatrix;
uniform vec2 picture;
uniform float width;
uniform float lift;
in vec3 position;
in vec3 start;
in vec3 end;
in vec4 color;
out vec4 tint;
out float across;

void main() {
    vec4 a = viewMatrix * vec4(start, 1.0);
    vec4 b = viewMatrix * vec4(end, 1.0);
    // Clips the part behind the eye.
    const float near = 1e-4;
    if (a.w < near && b.w > near) {
        a = mix(a, b, (near - a.w) / (b.w - a.w));
    } else if (b.w < near && a.w > near) {
        b = mix(b, a, (near - b.w) / (a.w - b.w));
    }
    vec2 pa = a.xy / max(a.w, 1e-6) * picture;
    vec2 pb = b.xy / max(b.w, 1e-6) * picture;
    vec2 along = pb - pa;
    float span = length(along);
    along = span > 1e-6 ? along / span : vec2(1.0, 0.0);
    vec2 side = vec2(-along.y, along.x);
    float half_width = 0.5 * width + 1.0;
    vec4 p = position.x < 0.5 ? a : b;
    p.xy += (side * position.y * half_width + along * (position.x - 0.5) * width) / picture * p.w;
    p.z -= lift * p.w;
    across = position.y * half_width;
    tint = color;
    gl_Position = p;
}
