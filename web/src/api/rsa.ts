/*
 * RSAES-PKCS1-v1_5 (RFC 8017, 7.2.1) in plain JavaScript. `crypto.subtle` does not exist on plain-HTTP origins and never
 * knew this padding; `crypto.getRandomValues` exists everywhere.
 */

interface PublicKey {
  modulus: bigint
  exponent: bigint
  /** Length of the modulus in bytes, and so of every ciphertext. */
  size: number
}

/** Reads one DER element at `at`: its content and where the next one begins. */
function element(der: Uint8Array, at: number): { start: number; end: number } {
  let length = der[at + 1] ?? 0
  let start = at + 2
  if (length & 0x80) {
    const count = length & 0x7f
    length = 0
    for (const byte of der.subarray(start, start + count)) length = length * 256 + byte
    start += count
  }
  if (start + length > der.length) throw new Error('The public key is cut short')
  return { start, end: start + length }
}

function integerOf(bytes: Uint8Array): bigint {
  let hex = '0x'
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return BigInt(hex)
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64.replace(/-----[^-]+-----|\s/g, '')), (char) => char.charCodeAt(0))
}

/** Reads a base64 SubjectPublicKeyInfo. */
export function readPublicKey(base64: string): PublicKey {
  const der = bytesOf(base64)
  const outer = element(der, 0)
  const algorithm = element(der, outer.start)
  const bits = element(der, algorithm.end)
  // A bit string begins with the number of unused bits, which is 0 here.
  const pair = element(der, bits.start + 1)
  const n = element(der, pair.start)
  const e = element(der, n.end)
  const modulus = integerOf(der.subarray(n.start, n.end))
  return {
    modulus,
    exponent: integerOf(der.subarray(e.start, e.end)),
    size: Math.ceil(modulus.toString(16).length / 2),
  }
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** Random bytes without a zero, which would end the padding early. */
function padding(length: number): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  for (let i = 0; i < length; i += 1) {
    while (bytes[i] === 0) bytes.set(crypto.getRandomValues(new Uint8Array(1)), i)
  }
  return bytes
}

/** Encrypts a short text; the answer is base64, as long as the key. */
export function encrypt(text: string, publicKey: string): string {
  const { modulus, exponent, size } = readPublicKey(publicKey)
  const message = new TextEncoder().encode(text)
  if (message.length > size - 11) throw new Error('The text is too long for this key')
  const block = new Uint8Array(size)
  block[1] = 2
  block.set(padding(size - message.length - 3), 2)
  block.set(message, size - message.length)
  const cipher = power(integerOf(block), exponent, modulus)
  const hex = cipher.toString(16).padStart(size * 2, '0')
  return btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))))
}
