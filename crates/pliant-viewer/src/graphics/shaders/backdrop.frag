// Background: a subtle vertical gradient from the horizon.
uniform vec3 topColor;
uniform vec3 bottomColor;
in vec2 where;
out vec4 outColor;

void main() {
    float t = 1.0 - where.y;
    vec3 color = mix(topColor, bottomColor, t * t * (3.0 - 2.0 * t));
    // Noise of half a level prevents visible banding.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    outColor = vec4(color + noise / 255.0, 1.0);
}
