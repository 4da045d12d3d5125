import { beginSession } from '@/access/session'
import { request } from '@/api/client'
import { isApiFailure } from '@/api/failure'
import { base64Text, encryptPassword } from '@/api/password'
import { browserName } from '@/rules/browser'

/** What the person typed. */
export interface Credentials {
  username: string
  password: string
  authCode: string
}

/** Which code the server asks for, if any. */
export type CodeKind = 'none' | 'totp' | 'captcha'

const quiet = { suppressNotice: true }

/** Signs in and begins the session. Throws what the server says. */
export async function signIn({ username, password, authCode }: Credentials): Promise<void> {
  const name = username.trim()
  const body = {
    username: base64Text(name),
    password: await encryptPassword(password),
    ipAddr: '',
    diskName: browserName(navigator.userAgent),
    authCode: authCode.trim(),
  }
  const { data } = await request('POST', '/api/user/v1/designjet/login', { body }, quiet)
  begin(data, name)
}

/** Ends a sign-in with a provider that has proved no second factor. Throws what the server says. */
export async function signInWithCode(provider: string, authCode: string): Promise<void> {
  const parts = { path: { id: provider }, body: { authCode: authCode.trim() } }
  const { data } = await request('POST', '/api/user/v1/client/login/oidc/{id}/code', parts, quiet)
  begin(data, '')
}

function begin(data: unknown, username: string) {
  const { token, id, groupId } = data as { token: string; id: string | number; groupId: string | number | null }
  beginSession({ token, id: String(id), groupId: String(groupId ?? ''), username })
}

/** Which code a refused sign-in asks for. */
export function codeAskedBy(error: unknown): CodeKind {
  if (!isApiFailure(error)) return 'none'
  const asked = error.errors.find(({ field }) => field === 'authCode')
  if (!asked) return 'none'
  return asked.code.startsWith('totp') ? 'totp' : 'captcha'
}

/** The captcha picture for a user name, as a data address. */
export async function fetchCaptcha(username: string): Promise<string> {
  const body = { username: base64Text(username.trim()) }
  const { data } = await request('POST', '/api/user/v1/client/login/captcha', { body }, quiet)
  return (data as { image: string }).image
}

/** One configured provider of third-party sign-in. */
export interface Provider {
  id: string
  name: string
}

export async function fetchProviders(): Promise<Provider[]> {
  const { data } = await request('GET', '/api/user/v1/client/login/providers', {}, quiet)
  return Array.isArray(data) ? (data as Provider[]) : []
}
