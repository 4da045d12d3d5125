import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { request } from './client'
import { encrypt } from './rsa'

/** The lower-case hex md5 of a password: what the server takes for the password. */
export const digestOf = (password: string): string => bytesToHex(md5(utf8ToBytes(password)))

/** Gets the key of the moment. The server rotates it and accepts each ciphertext once, so it is never kept. */
export async function fetchPublicKey(): Promise<string> {
  const answer = await request('POST', '/api/user/v1/client/login/getPbKey', {}, { suppressNotice: true })
  return (answer.data as { publicKey: string }).publicKey
}

/** A password as every call wants it: base64(RSA(md5 hex)). */
export async function encryptPassword(password: string): Promise<string> {
  return encrypt(digestOf(password), await fetchPublicKey())
}

/** Base64 of a text in UTF-8: how a user name travels at sign-in. */
export function base64Text(text: string): string {
  return btoa(String.fromCharCode(...utf8ToBytes(text)))
}
