uniform float width;
in vec4 tint;
in float across;
out vec4 outColor;

void main() {
    float cover = clamp(0.5 * width + 0.5 - abs(across), 0.0, 1.0);
    outColor = vec4(tint.rgb, tint.a * cover);
}
