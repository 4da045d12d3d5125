import { constants, createHash, createPublicKey, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { JSEncrypt } from 'jsencrypt'
import { describe, expect, it } from 'vitest'
import { base64Text, digestOf } from './password'
import { encrypt, readPublicKey } from './rsa'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

describe('RSA as JSEncrypt does it', () => {
  it('reads the key', () => {
    const { n } = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' })
    const key = readPublicKey(spki)
    expect(key.modulus).toBe(BigInt(`0x${Buffer.from(n ?? '', 'base64url').toString('hex')}`))
    expect(key).toMatchObject({ exponent: 65537n, size: 256 })
  })

  it('is decrypted by JSEncrypt, which existing clients use, every time', () => {
    const judge = new JSEncrypt()
    judge.setPrivateKey(pkcs1)
    for (let i = 0; i < 20; i += 1) {
      const digest = digestOf(`Secret${i}密`)
      expect(judge.decrypt(encrypt(digest, spki))).toBe(digest)
    }
  })

  it('has PKCS #1 v1.5 padding: block type 2 and at least eight random non-zero bytes', () => {
    const cipher = Buffer.from(encrypt('0123456789abcdef0123456789abcdef', spki), 'base64')
    const block = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, cipher)
    const padding = block.subarray(2, block.indexOf(0, 2))
    expect([block[0], block[1]]).toEqual([0, 2])
    expect(padding).toHaveLength(256 - 3 - 32)
    expect(block.subarray(256 - 32).toString()).toBe('0123456789abcdef0123456789abcdef')
  })

  it('never gives the same ciphertext twice', () => {
    expect(encrypt('x', spki)).not.toBe(encrypt('x', spki))
  })

  it('refuses what does not fit, and keys that are cut short', () => {
    expect(() => encrypt('x'.repeat(246), spki)).toThrow('too long')
    expect(() => encrypt('x', spki.slice(0, 200))).toThrow('cut short')
  })
})

describe('the password digest', () => {
  it('is the lower-case hex md5 of the UTF-8 text', () => {
    for (const text of ['', 'Admin12345', '密码 with spaces'])
      expect(digestOf(text)).toBe(createHash('md5').update(text, 'utf8').digest('hex'))
  })

  it('user names travel as base64 of UTF-8', () => {
    expect(base64Text('张三 admin')).toBe(Buffer.from('张三 admin', 'utf8').toString('base64'))
  })
})
