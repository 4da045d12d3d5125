import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** What the console is told of the provider, and it of the console. */
export const client = { id: 'skyrack', secret: 'of-the-browser-tests', provider: 'corp', name: '企业账号' }

const text = (value: string | Buffer) => Buffer.from(value).toString('base64url')

/**
 * An OpenID Connect provider with one account. Its page has a button that consents, as a person does; codes are good
 * once, and only for whoever holds the verifier (RFC 7636).
 */
export class Provider {
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 })
  private readonly codes = new Map<string, URLSearchParams>()

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {
    server.on('request', (asked, answer) => void this.serve(asked, answer))
  }

  static async start(): Promise<Provider> {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    if (!address || typeof address !== 'object') throw new Error('no port')
    return new Provider(server, `http://127.0.0.1:${address.port}`)
  }

  stop() {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async serve(asked: IncomingMessage, answer: ServerResponse) {
    const url = new URL(asked.url ?? '/', this.issuer)
    const json = (body: unknown, status = 200) => {
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (url.pathname === '/.well-known/openid-configuration') return json(this.discovery())
    if (url.pathname === '/jwks') return json({ keys: [this.publicKey()] })
    if (url.pathname === '/authorize') return this.page(url.searchParams, answer)
    if (url.pathname === '/token') {
      const token = this.token(new URLSearchParams(await bodyOf(asked)))
      return token ? json(token) : json({ error: 'invalid_grant' }, 400)
    }
    answer.writeHead(404).end()
  }

  private discovery() {
    const at = (path: string) => `${this.issuer}/${path}`
    return {
      issuer: this.issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      jwks_uri: at('jwks'),
    }
  }

  private publicKey() {
    return { ...this.key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
  }

  private page(asked: URLSearchParams, answer: ServerResponse) {
    const code = randomBytes(16).toString('hex')
    this.codes.set(code, asked)
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '' }))
    const link = back.href.replaceAll('&', '&amp;')
    const page = `<!doctype html><title>Provider</title><a href="${link}">Continue as Zhang</a>`
    answer.writeHead(200, { 'content-type': 'text/html' }).end(page)
  }

  private token(form: URLSearchParams) {
    const code = form.get('code') ?? ''
    const asked = this.codes.get(code)
    this.codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!asked || challenge !== asked.get('code_challenge')) return undefined
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.issuer,
      aud: client.id,
      sub: 'zhang',
      nonce: asked.get('nonce'),
      iat: now,
      exp: now + 300,
    }
    const signed = `${text(JSON.stringify({ alg: 'RS256', kid: 'one' }))}.${text(JSON.stringify(claims))}`
    const signature = text(sign('sha256', Buffer.from(signed), this.key.privateKey))
    return { access_token: 'unused', token_type: 'Bearer', id_token: `${signed}.${signature}` }
  }
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of asked) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
