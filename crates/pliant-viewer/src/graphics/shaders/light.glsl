// Surface lighting: a warm key light with its shadow, ambient light from sky and ground, a sheen at
// grazing angles, and some transmission through thin cloth. The constants are those of the CPU renderer
// of the command-line tool.
uniform vec3 toLight;
uniform vec3 eye;
uniform vec3 keyLight;
uniform vec3 skyLight;
uniform vec3 floorLight;
uniform vec3 fillLight;
uniform mat4 lightMatrix;
uniform sampler2D depthMap;
uniform float shadowBias;
uniform float shadowTexel;
uniform int shadowLooks;

vec3 encode(vec3 light) {
    vec3 l = clamp(light, 0.0, 1.0);
    return mix(12.92 * l, 1.055 * pow(l, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), l));
}

// Fraction of the key light that reaches a position: nine samples of the depth map, or one, each with a soft edge.
float reaching(vec3 p, vec3 n) {
    vec3 lifted = p + n * shadowBias * (dot(n, toLight) < 0.0 ? -1.0 : 1.0);
    vec3 q = (lightMatrix * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;
    if (q.x < 0.0 || q.x > 1.0 || q.y < 0.0 || q.y > 1.0) {
        return 1.0;
    }
    float lit = 0.0;
    for (int i = -shadowLooks; i <= shadowLooks; i++) {
        for (int j = -shadowLooks; j <= shadowLooks; j++) {
            float first = texture(depthMap, q.xy + 1.4 * shadowTexel * vec2(float(i), float(j))).r;
            lit += clamp(1.0 - (q.z - first - 0.0022) * 500.0, 0.0, 1.0);
        }
    }
    float looks = float(2 * shadowLooks + 1);
    return lit / (looks * looks);
}

vec3 lit(vec3 p, vec3 n, vec3 color, float gloss, float thin) {
    vec3 toEye = normalize(eye - p);
    float key = dot(n, toLight);
    // At grazing incidence the map cannot separate light from shadow, so the key light is faded out.
    float grazing = smoothstep(0.0, 0.25, thin > 0.5 ? abs(key) : key);
    float reach = reaching(p, n) * grazing;
    float front = max((key + 0.12) / 1.12, 0.0);
    float through = 0.22 * thin * max(-key, 0.0);
    vec3 around = mix(floorLight, skyLight, 0.5 + 0.5 * n.y) * (0.72 + 0.28 * reach);
    float facing = clamp(dot(n, toEye), 0.0, 1.0);
    vec3 light = keyLight * (front + through) * reach + around + fillLight * facing;

    vec3 between = normalize(toLight + toEye);
    float shine = pow(max(dot(n, between), 0.0), 24.0) * 0.30 * reach;
    float rim = pow(1.0 - facing, 3.0) * 0.22;
    float gleam = gloss * (shine + rim * (0.3 + 0.7 * reach));
    return color * light + mix(vec3(gleam), color * gleam, 0.35);
}
