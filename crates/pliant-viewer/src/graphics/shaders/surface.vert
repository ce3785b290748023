uniform mat4 viewMatrix;
uniform mat4 modelMatrix;
in vec3 position;
in vec3 normal;
in float strain;
in vec2 uv;
out vec3 place;
out vec3 facing;
out float stretch;
out vec2 inPattern;

void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    place = p.xyz;
    facing = mat3(modelMatrix) * normal;
    stretch = strain;
    inPattern = uv;
    gl_Position = viewMatrix * p;
}
