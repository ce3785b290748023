uniform vec3 frontColor;
uniform vec3 backColor;
uniform float gloss;
uniform float thin;
uniform float opacity;
uniform float heat;
uniform int patternKind;
uniform vec3 patternColor;
uniform vec2 patternRepeat;
uniform vec2 heatRange;
uniform vec3 heatColors[7];
in vec3 place;
in vec3 facing;
in float stretch;
in vec2 inPattern;
out vec4 outColor;

vec3 ramp(float value) {
    float t = clamp((value - heatRange.x) / (heatRange.y - heatRange.x), 0.0, 1.0) * 6.0;
    vec3 c = heatColors[0];
    for (int i = 0; i < 6; i++) {
        c = mix(c, heatColors[i + 1], clamp(t - float(i), 0.0, 1.0));
    }
    return c;
}

// Mean over a width of the wave that is -1 in the first half of each period and 1 in the second.
float wave(float at, float width) {
    width = max(width, 1e-4);
    float after = abs(fract(at + 0.5 * width) - 0.5);
    float before = abs(fract(at - 0.5 * width) - 0.5);
    return clamp((after - before) / width, -1.0, 1.0);
}

// Share of the second colour: stripes, checks and gingham, as in the CPU renderer.
float patternShare(vec2 p, vec2 width) {
    if (patternKind == 1) {
        return 0.5 + 0.5 * wave(p.x + p.y, width.x + width.y);
    }
    float u = wave(p.x, width.x);
    float v = wave(p.y, width.y);
    return patternKind == 2 ? 0.5 - 0.5 * u * v : 0.5 + 0.25 * (u + v);
}

void main() {
    vec3 n = normalize(facing);
    vec3 color = frontColor;
    if (!gl_FrontFacing) {
        n = -n;
        color = backColor;
    }
    vec2 p = inPattern * patternRepeat;
    vec2 width = fwidth(p);
    if (patternKind > 0) {
        color = mix(color, patternColor, patternShare(p, width));
    }
    color = mix(color, ramp(stretch), heat);
    outColor = vec4(encode(lit(place, n, color, gloss, thin)), opacity);
}
