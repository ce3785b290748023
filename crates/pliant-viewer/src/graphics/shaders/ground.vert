uniform mat4 viewMatrix;
uniform vec3 middle;
uniform float reach;
in vec3 position;
out vec3 place;

void main() {
    place = vec3(middle.x + position.x * reach, middle.y, middle.z + position.y * reach);
    gl_Position = viewMatrix * vec4(place, 1.0);
}
