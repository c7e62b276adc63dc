// numeric.js: the part of the global `numeric` that apps of the first generation use: small matrices, as arrays
// of rows. The same in a browser and in a runner.
(() => {
  "use strict";

  const STEPS = 300;
  const PRECISION = 2 ** -52;

  // --- Complex numbers, as [real, imaginary] --------------------------------------------------

  const add = ([a, b], [c, d]) => [a + c, b + d];
  const subtract = ([a, b], [c, d]) => [a - c, b - d];
  const multiply = ([a, b], [c, d]) => [a * c - b * d, a * d + b * c];
  const scale = ([a, b], factor) => [a * factor, b * factor];
  const conjugate = ([a, b]) => [a, -b];
  const size = ([a, b]) => Math.hypot(a, b);
  const divide = (one, other) => {
    const length = size(other);
    return scale(multiply(one, scale(conjugate(other), 1 / length)), 1 / length);
  };
  const root = ([a, b]) => {
    const length = Math.hypot(a, b);
    const imaginary = Math.sqrt((length - a) / 2);
    return [Math.sqrt((length + a) / 2), b < 0 ? -imaginary : imaginary];
  };

  // --- Eigenvalues ----------------------------------------------------------------------------

  const identity = (size) =>
    Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => +(row === column)));
  const complex = (matrix) => matrix.map((row) => row.map((value) => [value, 0]));
  const norm = (matrix) => Math.max(Number.MIN_VALUE, ...matrix.flat().map(size));

  /** The eigenvalue of the last two rows and columns that is nearer to the last element. */
  function shift(matrix, last) {
    const [a, b] = matrix[last - 1].slice(last - 1, last + 1);
    const [c, d] = matrix[last].slice(last - 1, last + 1);
    const half = scale(subtract(a, d), 0.5);
    const square = root(add(multiply(half, half), multiply(b, c)));
    const [plus, minus] = [add(half, square), subtract(half, square)];
    return add(d, size(plus) < size(minus) ? plus : minus);
  }

  /** One step of the QR algorithm on the first rows and columns, by Givens rotations. */
  function step(matrix, count, move) {
    for (let at = 0; at < count; at++) matrix[at][at] = subtract(matrix[at][at], move);
    const turns = [];
    for (let column = 0; column < count - 1; column++) {
      for (let row = count - 1; row > column; row--) {
        const [top, bottom] = [matrix[row - 1][column], matrix[row][column]];
        const length = Math.hypot(size(top), size(bottom));
        if (size(bottom) === 0) continue;
        const [c, s] = [scale(top, 1 / length), scale(bottom, 1 / length)];
        turns.push([row, c, s]);
        for (let at = 0; at < count; at++) {
          const [one, other] = [matrix[row - 1][at], matrix[row][at]];
          matrix[row - 1][at] = add(multiply(conjugate(c), one), multiply(conjugate(s), other));
          matrix[row][at] = subtract(multiply(c, other), multiply(s, one));
        }
      }
    }
    for (const [column, c, s] of turns) {
      for (let row = 0; row < count; row++) {
        const [one, other] = [matrix[row][column - 1], matrix[row][column]];
        matrix[row][column - 1] = add(multiply(one, c), multiply(other, s));
        matrix[row][column] = subtract(multiply(other, conjugate(c)), multiply(one, conjugate(s)));
      }
    }
    for (let at = 0; at < count; at++) matrix[at][at] = add(matrix[at][at], move);
  }

  function eigenvalues(real) {
    const matrix = complex(real), limit = norm(matrix) * PRECISION;
    const values = [];
    let count = matrix.length, steps = 0;
    while (count > 0) {
      const last = matrix[count - 1];
      if (last.slice(0, count - 1).every((value) => size(value) <= limit)) {
        values.unshift(last[--count]);
        steps = 0;
        continue;
      }
      if (++steps > STEPS) throw new Error("numeric: eigenvalue iteration does not converge");
      // An unusual shift ends the cycles of matrices such as permutations.
      step(matrix, count, steps % 10 === 0 ? [size(last[count - 2]), limit] : shift(matrix, count - 1));
    }
    return values;
  }

  // --- Eigenvectors, by inverse iteration -----------------------------------------------------

  /** Solves a system of equations; a zero pivot is replaced by `least`. */
  function solve(matrix, vector, least) {
    const rows = matrix.map((row, at) => [...row, vector[at]]);
    const count = rows.length;
    for (let at = 0; at < count; at++) {
      let best = at;
      for (let row = at + 1; row < count; row++) if (size(rows[row][at]) > size(rows[best][at])) best = row;
      [rows[at], rows[best]] = [rows[best], rows[at]];
      if (size(rows[at][at]) < least) rows[at][at] = [least, 0];
      for (let row = at + 1; row < count; row++) {
        const factor = divide(rows[row][at], rows[at][at]);
        for (let column = at; column <= count; column++) {
          rows[row][column] = subtract(rows[row][column], multiply(factor, rows[at][column]));
        }
      }
    }
    const found = [];
    for (let row = count - 1; row >= 0; row--) {
      let rest = rows[row][count];
      for (let column = row + 1; column < count; column++) rest = subtract(rest, multiply(rows[row][column], found[column]));
      found[row] = divide(rest, rows[row][row]);
    }
    return found;
  }

  function eigenvector(real, value) {
    const matrix = complex(real), least = norm(matrix) * PRECISION;
    for (let at = 0; at < matrix.length; at++) matrix[at][at] = subtract(matrix[at][at], value);
    let vector = matrix.map((_, at) => [1 / (at + 1), 0]);
    for (let turn = 0; turn < 4; turn++) {
      const next = solve(matrix, vector, least);
      // Of length 1, with a real largest part.
      const length = Math.hypot(...next.map(size));
      const largest = next.reduce((best, part) => (size(part) > size(best) * 1.001 ? part : best));
      const factor = scale(conjugate(largest), 1 / (size(largest) * length));
      vector = next.map((part) => multiply(part, factor));
    }
    return vector;
  }

  /** A matrix or vector of complex numbers: `x` has the real parts, `y` the others unless all are 0. */
  const parts = (x, y) => (y.flat().every((value) => value === 0) ? { x } : { x, y });
  const part = (rows, index) => rows.map((row) => row.map((value) => value[index]));

  /** The eigenvalues `lambda` of a real matrix, and its eigenvectors as the columns of `E`. */
  function eig(matrix) {
    const count = matrix.length;
    if (!matrix.every((row) => row.length === count && row.every(Number.isFinite))) {
      throw new Error("numeric: eig() only works on square matrices of numbers");
    }
    const rough = count === 0 ? 0 : norm(complex(matrix)) * 1e-7;
    const found = eigenvalues(matrix).map((value) => (Math.abs(value[1]) <= rough ? [value[0], 0] : value));
    const vectors = found.map((value) => eigenvector(matrix, value));
    const columns = matrix.map((_, row) => vectors.map((vector) => vector[row]));
    return {
      lambda: parts(found.map(([x]) => x), found.map(([, y]) => y)),
      E: parts(part(columns, 0), part(columns, 1)),
    };
  }

  const transpose = (matrix) => (matrix[0] ?? []).map((_, column) => matrix.map((row) => row[column]));
  const inner = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);

  /** The product of matrices and vectors. */
  function dot(one, other) {
    if (!Array.isArray(one[0])) return Array.isArray(other[0]) ? transpose(other).map((column) => inner(one, column)) : inner(one, other);
    if (!Array.isArray(other[0])) return one.map((row) => inner(row, other));
    const columns = transpose(other);
    return one.map((row) => columns.map((column) => inner(row, column)));
  }

  Object.defineProperty(globalThis, "numeric", {
    value: { dot, eig, identity, transpose },
    configurable: true,
    writable: true,
  });
})();
