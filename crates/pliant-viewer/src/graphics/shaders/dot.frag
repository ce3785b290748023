in vec4 tint;
in vec2 at;
in float radius;
out vec4 outColor;

void main() {
    float away = length(at);
    float cover = clamp(radius + 0.5 - away, 0.0, 1.0);
    float rim = clamp(away - radius + 2.0, 0.0, 1.0);
    outColor = vec4(mix(tint.rgb, vec3(1.0), 0.85 * rim), tint.a * cover);
}
