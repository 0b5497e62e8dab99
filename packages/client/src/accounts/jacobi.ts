/**
 * The Jacobi symbol of numbers below 2^255 over 2^255 − 19, in exact double arithmetic: the "positive divsteps" that
 * libsecp256k1 describes in doc/safegcd_implementation.md. Twenty-six steps run on the low 32 bits of the two numbers, then
 * their effect is applied to the whole numbers as a matrix. BigInt exponentiation gives the same answer fifty times slower.
 */

/** The field's prime, 2^255 − 19. */
export const FIELD_PRIME = 2n ** 255n - 19n;

/** Bits in a limb and steps in a round: a limb times a matrix entry stays below 2^53. */
const BITS = 26;
const RADIX = 2 ** BITS;
const LIMBS = 10;
/** Far more rounds than any input seen needs; positive divsteps have no proven bound. */
const MAX_ROUNDS = 80;

/** −1 / (2i + 1) mod 256, for i below 128. */
const NEGATED_INVERSE = new Int32Array(128);
for (let i = 0; i < NEGATED_INVERSE.length; i++) {
  const odd = 2 * i + 1;
  let inverse = odd;
  for (let doubling = 0; doubling < 3; doubling++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  NEGATED_INVERSE[i] = -inverse & 255;
}

function limbsOf(value: bigint): Float64Array {
  const limbs = new Float64Array(LIMBS);
  for (let place = 0; place < LIMBS; place++) {
    limbs[place] = Number(BigInt.asUintN(BITS, value >> BigInt(BITS * place)));
  }
  return limbs;
}

const PRIME_LIMBS = limbsOf(FIELD_PRIME);
const f = new Float64Array(LIMBS);

/** Euler's criterion, for the inputs on which the divsteps do not finish. */
function byExponentiation(value: bigint): 1 | -1 {
  let result = 1n;
  let base = value;
  for (let exponent = (FIELD_PRIME - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % FIELD_PRIME;
    base = (base * base) % FIELD_PRIME;
  }
  return result === 1n ? 1 : -1;
}

function isOne(limbs: Float64Array, length: number): boolean {
  if (limbs[0] !== 1) return false;
  for (let place = 1; place < length; place++) if (limbs[place] !== 0) return false;
  return true;
}

/** (value / 2^255 − 19), for 0 <= value < 2^255 − 19: 1 for a non-zero square, −1 for a non-square, 0 for zero. */
export function jacobiSymbol(value: bigint): 1 | 0 | -1 {
  if (value === 0n) return 0;
  const g = limbsOf(value);
  f.set(PRIME_LIMBS);
  let length = LIMBS;
  let eta = -1;
  let negative = 0;

  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The steps, on the low bits. (u v; q r) collects what they do to (f, g), times 2^26.
    let low = (f[0] as number) | ((f[1] as number) << BITS);
    let rest = (g[0] as number) | ((g[1] as number) << BITS);
    let u = 1;
    let v = 0;
    let q = 0;
    let r = 1;
    let left = BITS;
    for (;;) {
      const candidate = rest | (-1 << left);
      const zeros = 31 - Math.clz32(candidate & -candidate);
      rest >>>= zeros;
      u <<= zeros;
      v <<= zeros;
      eta -= zeros;
      left -= zeros;
      // Halving an odd number of times changes the sign when f is 3 or 5 modulo 8.
      negative ^= zeros & ((low >> 1) ^ (low >> 2));
      if (left === 0) break;
      if (eta < 0) {
        // Swapping changes the sign when both are 3 modulo 4.
        eta = -eta;
        negative ^= (low & rest) >> 1;
        [low, rest] = [rest, low];
        [u, q] = [q, u];
        [v, r] = [r, v];
      }
      const limit = Math.min(eta + 1, left, 8);
      const factor = Math.imul(rest, NEGATED_INVERSE[(low >> 1) & 127] as number) & ((1 << limit) - 1);
      rest += Math.imul(low, factor);
      q += u * factor;
      r += v * factor;
    }

    // Their effect, on the whole numbers.
    let carryF = 0;
    let carryG = 0;
    for (let place = 0; place < length; place++) {
      const limbF = f[place] as number;
      const limbG = g[place] as number;
      const sumF = u * limbF + v * limbG + carryF;
      const sumG = q * limbF + r * limbG + carryG;
      carryF = Math.floor(sumF / RADIX);
      carryG = Math.floor(sumG / RADIX);
      if (place > 0) {
        f[place - 1] = sumF - carryF * RADIX;
        g[place - 1] = sumG - carryG * RADIX;
      }
    }
    f[length - 1] = carryF;
    g[length - 1] = carryG;

    if (isOne(f, length)) return (negative & 1) === 1 ? -1 : 1;
    while (length > 2 && f[length - 1] === 0 && g[length - 1] === 0) length--;
  }
  return byExponentiation(value);
}
