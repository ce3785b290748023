uniform vec3 frontColor;
uniform vec3 backColor;
uniform float gloss;
uniform float thin;
uniform float opacity;
uniform float heat;
uniform vec2 heatRange;
uniform vec3 heatColors[7];
in vec3 place;
in vec3 facing;
in float stretch;
out vec4 outColor;

vec3 ramp(float value) {
    float t = clamp((value - heatRange.x) / (heatRange.y - heatRange.x), 0.0, 1.0) * 6.0;
    vec3 c = heatColors[0];
    for (int i = 0; i < 6; i++) {
        c = mix(c, heatColors[i + 1], clamp(t - float(i), 0.0, 1.0));
    }
    return c;
}

void main() {
    vec3 n = normalize(facing);
    vec3 color = frontColor;
    if (!gl_FrontFacing) {
        n = -n;
        color = backColor;
    }
    color = mix(color, ramp(stretch), heat);
    outColor = vec4(encode(lit(place, n, color, gloss, thin)), opacity);
}
