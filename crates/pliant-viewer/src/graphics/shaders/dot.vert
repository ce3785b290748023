// A round marker with a size in pixels that faces the eye.
uniform mat4 viewMatrix;
uniform vec2 picture;
uniform float lift;
in vec3 position;
in vec4 center;
in vec4 color;
out vec4 tint;
out vec2 at;
out float radius;

void main() {
    vec4 p = viewMatrix * vec4(center.xyz, 1.0);
    radius = center.w;
    at = position.xy * (radius + 1.5);
    p.xy += at / picture * p.w;
    p.z -= lift * p.w;
    tint = color;
    gl_Position = p;
}
