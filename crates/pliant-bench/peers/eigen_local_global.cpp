// The local/global iteration as its papers implemented it, on Eigen, in one thread and double
// precision: "Fast Simulation of Mass-Spring Systems" (Liu et al. 2013) for springs, "Projective
// Dynamics" (Bouaziz et al. 2014) for tetrahedra.
//
// One implicit Euler step minimises
//     g(x) = 1/2 |x - y|^2_M + h^2 sum_e w_e/2 |G_e x - p_e|^2
// where p_e is the rest-length direction of a spring or the rotation nearest to a tetrahedron's
// deformation gradient. The system M + h^2 L is factored once (SimplicialLLT, AMD ordering) and
// solved for three right-hand sides. Pinned vertices are eliminated.
//
// It speaks lines: `setup FILE`, `reset`, `run N`, `dump FILE`, `quit`. Every answer is one line
// that starts with `ok` or `error`; `run` answers `ok MILLISECONDS OBJECTIVE`.

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Positions = Eigen::Matrix<double, Eigen::Dynamic, 3>;  // column-major: one column per axis
using Sparse = Eigen::SparseMatrix<double>;
using Eigen::Matrix3d;
using Eigen::RowVector3d;
using Eigen::Vector3d;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

enum Kind : uint32_t { kSprings = 0, kRotations = 1 };

// A workload file: magic, eight u32, four f64, then the arrays.
struct Workload {
  uint32_t kind, vertices, edges, dihedrals, triangles, tets, iterations, reserved;
  double h, stiffness, bend_stiffness, gravity;
  std::vector<double> rest, start, inv_mass;
  std::vector<std::array<uint32_t, 2>> springs;
  std::vector<std::array<uint32_t, 4>> tetrahedra;
};

template <class T>
void read_array(std::ifstream& in, std::vector<T>& values, size_t count) {
  values.resize(count);
  in.read(reinterpret_cast<char*>(values.data()), std::streamsize(count * sizeof(T)));
}

Workload read_workload(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[8];
  Workload w;
  in.read(magic, 8);
  if (!in || std::memcmp(magic, "PLIANTW1", 8) != 0) throw std::runtime_error("not a workload: " + path);
  in.read(reinterpret_cast<char*>(&w.kind), 8 * sizeof(uint32_t));
  in.read(reinterpret_cast<char*>(&w.h), 4 * sizeof(double));
  read_array(in, w.rest, 3 * size_t(w.vertices));
  read_array(in, w.start, 3 * size_t(w.vertices));
  read_array(in, w.inv_mass, w.vertices);
  read_array(in, w.springs, w.edges);
  in.seekg(16 * std::streamoff(w.dihedrals) + 12 * std::streamoff(w.triangles), std::ios::cur);
  read_array(in, w.tetrahedra, w.tets);
  if (!in) throw std::runtime_error("the workload is cut short: " + path);
  if (w.kind != kSprings && w.kind != kRotations) throw std::runtime_error("not a local/global workload");
  return w;
}

Positions to_positions(const std::vector<double>& flat) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(
      flat.data(), Eigen::Index(flat.size() / 3), 3);
}

class LocalGlobal {
 public:
  explicit LocalGlobal(Workload workload) : w_(std::move(workload)) {
    y_ = to_positions(w_.start);
    number_free_vertices();
    prepare_elements();
    assemble_and_factor();
    reset();
  }

  void reset() { x_ = y_; }

  void iterate() {
    rhs_ = constant_rhs_;
    if (w_.kind == kSprings) project_springs(); else project_tets();
    solution_ = factor_.solve(rhs_);
    for (Eigen::Index i = 0; i < Eigen::Index(free_.size()); ++i) x_.row(free_[i]) = solution_.row(i);
  }

  double objective() const {
    double inertia = 0, elastic = 0;
    for (uint32_t i : free_) inertia += (x_.row(i) - y_.row(i)).squaredNorm() / w_.inv_mass[i];
    for (size_t e = 0; e < w_.springs.size() && w_.kind == kSprings; ++e) {
      const auto [a, b] = w_.springs[e];
      const double stretch = (x_.row(a) - x_.row(b)).norm() - rest_length_[e];
      elastic += w_.stiffness * stretch * stretch;
    }
    for (const Tet& tet : tets_) elastic += tet.weight * (gradient(tet) - rotation(gradient(tet))).squaredNorm();
    return 0.5 * inertia + 0.5 * w_.h * w_.h * elastic;
  }

  void dump(const std::string& path) const {
    const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> rows = x_;
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(rows.data()), std::streamsize(rows.size() * sizeof(double)));
    if (!out) throw std::runtime_error("cannot write " + path);
  }

  size_t nonzeros() const { return size_t(factor_.matrixL().nestedExpression().nonZeros()); }

 private:
  struct Tet {
    std::array<uint32_t, 4> vertices;
    Eigen::Matrix<double, 4, 3> gradient;  // F = X gradient, X the 3 x 4 positions
    double weight;                         // stiffness times rest volume
  };

  void number_free_vertices() {
    index_.assign(w_.vertices, -1);
    for (uint32_t i = 0; i < w_.vertices; ++i) {
      if (w_.inv_mass[i] == 0) continue;
      index_[i] = int(free_.size());
      free_.push_back(i);
    }
  }

  void prepare_elements() {
    const Positions rest = to_positions(w_.rest);
    if (w_.kind == kSprings) {
      for (const auto& [a, b] : w_.springs) rest_length_.push_back((rest.row(a) - rest.row(b)).norm());
      return;
    }
    for (const auto& v : w_.tetrahedra) {
      Matrix3d edges;
      for (int k = 0; k < 3; ++k) edges.col(k) = (rest.row(v[k + 1]) - rest.row(v[0])).transpose();
      Tet tet{v, {}, w_.stiffness * edges.determinant() / 6};
      tet.gradient.bottomRows<3>() = edges.inverse();
      tet.gradient.row(0) = -tet.gradient.bottomRows<3>().colwise().sum();
      tets_.push_back(tet);
    }
  }

  // One entry of h^2 L; a pinned neighbour goes to the right-hand side instead.
  void couple(std::vector<Eigen::Triplet<double>>& entries, uint32_t i, uint32_t j, double value) {
    if (index_[i] < 0) return;
    if (index_[j] >= 0) entries.emplace_back(index_[i], index_[j], value);
    else constant_rhs_.row(index_[i]) -= value * y_.row(j);
  }

  void assemble_and_factor() {
    const double h2 = w_.h * w_.h;
    const Eigen::Index n = Eigen::Index(free_.size());
    std::vector<Eigen::Triplet<double>> entries;
    constant_rhs_.resize(n, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double mass = 1 / w_.inv_mass[free_[i]];
      entries.emplace_back(i, i, mass);
      constant_rhs_.row(i) = mass * y_.row(free_[i]);
    }
    for (size_t e = 0; e < w_.springs.size() && w_.kind == kSprings; ++e) {
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          couple(entries, w_.springs[e][r], w_.springs[e][c], (r == c ? h2 : -h2) * w_.stiffness);
    }
    for (const Tet& tet : tets_) {
      const Eigen::Matrix4d local = h2 * tet.weight * tet.gradient * tet.gradient.transpose();
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) couple(entries, tet.vertices[r], tet.vertices[c], local(r, c));
    }
    Sparse system(n, n);
    system.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(system);
    if (factor_.info() != Eigen::Success) throw std::runtime_error("the system is not positive definite");
  }

  // d_e = r_e (x_a - x_b) / |x_a - x_b|, accumulated as h^2 J d.
  void project_springs() {
    const double h2k = w_.h * w_.h * w_.stiffness;
    for (size_t e = 0; e < w_.springs.size(); ++e) {
      const auto [a, b] = w_.springs[e];
      const RowVector3d p = x_.row(a) - x_.row(b);
      const RowVector3d d = p * (h2k * rest_length_[e] / p.norm());
      if (index_[a] >= 0) rhs_.row(index_[a]) += d;
      if (index_[b] >= 0) rhs_.row(index_[b]) -= d;
    }
  }

  void project_tets() {
    const double h2 = w_.h * w_.h;
    for (const Tet& tet : tets_) {
      const Matrix3d target = (h2 * tet.weight) * rotation(gradient(tet));
      const Eigen::Matrix<double, 3, 4> force = target * tet.gradient.transpose();
      for (int k = 0; k < 4; ++k) {
        const int i = index_[tet.vertices[k]];
        if (i >= 0) rhs_.row(i) += force.col(k).transpose();
      }
    }
  }

  Matrix3d gradient(const Tet& tet) const {
    Eigen::Matrix<double, 3, 4> x;
    for (int k = 0; k < 4; ++k) x.col(k) = x_.row(tet.vertices[k]).transpose();
    return x * tet.gradient;
  }

  // The nearest proper rotation: the smallest singular direction is turned if F is inverted.
  static Matrix3d rotation(const Matrix3d& f) {
    const Eigen::JacobiSVD<Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Matrix3d u = svd.matrixU();
    if ((u * svd.matrixV().transpose()).determinant() < 0) u.col(2) = -u.col(2);
    return u * svd.matrixV().transpose();
  }

  Workload w_;
  std::vector<int> index_;      // vertex -> row of the system, -1 if pinned
  std::vector<uint32_t> free_;  // row of the system -> vertex
  std::vector<double> rest_length_;
  std::vector<Tet> tets_;
  Positions x_, y_, rhs_, constant_rhs_, solution_;
  Eigen::SimplicialLLT<Sparse> factor_;
};

}  // namespace

int main() {
  std::unique_ptr<LocalGlobal> solver;
  for (std::string command; std::cin >> command && command != "quit";) {
    try {
      if (command == "setup") {
        std::string path;
        std::cin >> path;
        const auto start = Clock::now();
        solver = std::make_unique<LocalGlobal>(read_workload(path));
        std::printf("ok set up in %.1f ms, %zu nonzeros in L\n", milliseconds_since(start), solver->nonzeros());
      } else if (!solver) {
        throw std::runtime_error("no workload: say `setup FILE` first");
      } else if (command == "reset") {
        solver->reset();
        std::printf("ok\n");
      } else if (command == "run") {
        int iterations = 0;
        std::cin >> iterations;
        const auto start = Clock::now();
        for (int i = 0; i < iterations; ++i) solver->iterate();
        const double elapsed = milliseconds_since(start);
        std::printf("ok %.6f %.17g\n", elapsed, solver->objective());
      } else if (command == "dump") {
        std::string path;
        std::cin >> path;
        solver->dump(path);
        std::printf("ok\n");
      } else {
        throw std::runtime_error("unknown command " + command);
      }
    } catch (const std::exception& e) {
      std::printf("error %s\n", e.what());
    }
    std::fflush(stdout);
  }
}
