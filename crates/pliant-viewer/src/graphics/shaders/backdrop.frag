// A quiet gradient from the horizon up.
uniform vec3 topColor;
uniform vec3 bottomColor;
in vec2 where;
out vec4 outColor;

void main() {
    float t = 1.0 - where.y;
    vec3 color = mix(topColor, bottomColor, t * t * (3.0 - 2.0 * t));
    // Half a level of noise, so that no bands are seen.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    outColor = vec4(color + noise / 255.0, 1.0);
}
