import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { client, Provider } from './provider'

/** The password that the first administrator is given. Being chosen, it need not be changed. */
export const adminPassword = 'Rack_2026sky'

const binary = process.env.TEST_BINARY ?? resolve(import.meta.dirname, '../../../target/debug/skyrack')
const env = { ...process.env, SKYRACK_ADMIN_PASSWORD: adminPassword }

/** A console that runs, and the sign-in provider that it knows; none where a developer keeps it running. */
export interface Running {
  base: string
  issuer?: string
  stop: () => Promise<void>
}

export const temporary = () => mkdtempSync(join(tmpdir(), 'skyrack-e2e-'))

/** Makes the demo company once; every server of the run begins with a copy of it. */
export async function seed(folder: string): Promise<void> {
  await promisify(execFile)(binary, ['seed', '--data-dir', folder], { env })
}

/** Starts the real server on a copy of the demo company, with a simulated room and a provider of its own. */
export async function start(template: string): Promise<Running> {
  const folder = temporary()
  const log = join(folder, 'server.log')
  const data = join(folder, 'data')
  cpSync(template, data, { recursive: true })
  const address = `127.0.0.1:${await freePort()}`
  const base = `http://${address}`
  const provider = await Provider.start()
  const config = join(folder, 'skyrack.toml')
  writeFileSync(config, configuration(`${base}/`, provider.issuer))
  const output = openSync(log, 'a')
  const server = spawn(
    binary,
    ['serve', '--demo', '--quiet', '--config', config, '--listen', address, '--data-dir', data],
    {
      stdio: ['ignore', output, output],
      env,
    },
  )
  const ended = new Promise<void>((done) => server.once('exit', () => done()))
  const deadline = Date.now() + 60_000
  while (!(await isReady(base))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL')
      throw new Error(`The server did not start:\n${readFileSync(log, 'utf8')}`)
    }
    await new Promise((next) => setTimeout(next, 50))
  }
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
    provider.stop()
    rmSync(folder, { recursive: true })
  }
  return { base, issuer: provider.issuer, stop }
}

/** Third-party sign-in, and addresses of the tests' own (`address` in `test.ts`); everything else as it comes. */
const configuration = (publicUrl: string, issuer: string) => `
public_url = "${publicUrl}"
trusted_proxies = ["127.0.0.1"]
# Where the provider is, and the simulated room.
allow_outbound = ["127.0.0.0/8"]

[[oidc]]
id = "${client.provider}"
name = "${client.name}"
issuer = "${issuer}"
client_id = "${client.id}"
client_secret = "${client.secret}"
`

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer().once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? found(address.port) : failed(new Error('no port'))))
    })
  })
}

async function isReady(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/readyz`)).ok
  } catch {
    return false
  }
}
