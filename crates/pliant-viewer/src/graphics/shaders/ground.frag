// The ground: a faint grid that fades with distance, with a soft shadow.
uniform vec3 groundColor;
uniform vec3 lineColor;
uniform vec3 shadeColor;
uniform vec3 middle;
uniform float size;
uniform float spacing;
uniform float grid;
uniform mat4 lightMatrix;
uniform sampler2D cover;
in vec3 place;
out vec4 outColor;

float lines(vec2 at) {
    vec2 width = max(fwidth(at), vec2(1e-5));
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    float line = 1.0 - clamp(min(near.x, near.y), 0.0, 1.0);
    // Lines closer than a few pixels would flicker.
    return line * clamp(1.0 - 2.5 * max(width.x, width.y), 0.0, 1.0);
}

void main() {
    float away = length(place.xz - middle.xz);
    float fade = 1.0 - smoothstep(0.9 * size, 4.0 * size, away);
    vec3 q = (lightMatrix * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    float inside = step(0.0, q.x) * step(q.x, 1.0) * step(0.0, q.y) * step(q.y, 1.0);
    float dark = inside * texture(cover, q.xy).r;
    vec3 color = mix(groundColor, lineColor, 0.35 * grid * lines(place.xz / spacing));
    color *= mix(vec3(1.0), shadeColor, dark);
    outColor = vec4(color, max(fade, dark * 0.9));
}
