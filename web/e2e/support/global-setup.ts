import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { client, Provider } from './provider'

/** The password that the first administrator is given. Being chosen, it need not be changed. */
export const adminPassword = 'Rack_2026sky'

const binary = process.env.TEST_BINARY ?? resolve(import.meta.dirname, '../../../target/debug/skyrack')

/** Starts the real server with its demo data on a database of its own; returns the way to stop it. */
export default async function globalSetup() {
  // A server that a developer keeps running is quicker than a new one for every try.
  if (process.env.E2E_BASE) return
  const folder = mkdtempSync(join(tmpdir(), 'skyrack-e2e-'))
  const log = join(folder, 'server.log')
  const address = `127.0.0.1:${await freePort()}`
  const provider = await Provider.start()
  const config = join(folder, 'skyrack.toml')
  writeFileSync(config, configuration(`http://${address}/`, provider.issuer))
  const output = openSync(log, 'a')
  const server = spawn(
    binary,
    ['serve', '--demo', '--config', config, '--listen', address, '--data-dir', join(folder, 'data')],
    {
      stdio: ['ignore', output, output],
      env: { ...process.env, SKYRACK_ADMIN_PASSWORD: adminPassword },
    },
  )
  const ended = new Promise<void>((done) => server.once('exit', () => done()))

  process.env.E2E_PROVIDER = provider.issuer
  process.env.E2E_BASE = `http://${address}`
  const deadline = Date.now() + 60_000
  while (!(await isReady(process.env.E2E_BASE))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL')
      throw new Error(`The server did not start:\n${readFileSync(log, 'utf8')}`)
    }
    await new Promise((next) => setTimeout(next, 100))
  }
  return async () => {
    server.kill('SIGTERM')
    await ended
    provider.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Third-party sign-in; everything else as it comes. */
const configuration = (publicUrl: string, issuer: string) => `
public_url = "${publicUrl}"

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
