import { constants, createHash, createPublicKey, publicEncrypt } from 'node:crypto'
import { adminPassword } from './server'

/** One entry of the menu tree, as the contract describes it. */
export interface MenuEntry {
  id: string | number
  parentId: string | number | null
  path: string
  name: string
  code: string | null
  visible: boolean
  children?: MenuEntry[]
}

export interface Envelope<T> {
  status: number
  msg: string
  data: T
  success: boolean
}

/** Somebody who can sign in. */
export interface Operator {
  id: string | number
  groupId: string | number
  username: string
  password: string
}

/** The body status of a call that takes a fresh proof of who asks. */
const proveAgain = 4011
/** A proof this young outlasts any test: the server takes one of ten minutes. */
const proofAge = 5 * 60_000

/** A client of the server beside the browser: it prepares what a test needs, through the calls of the contract. */
export class Api {
  token = ''
  id: string | number = ''
  groupId: string | number = ''
  private password = ''
  private provedAt = 0

  constructor(readonly base: string) {}

  async send<T>(method: string, path: string, body?: unknown): Promise<Envelope<T>> {
    const answer = await this.ask<T>(method, path, body)
    if (answer.status !== proveAgain) return answer
    await this.prove()
    return this.ask<T>(method, path, body)
  }

  /** Proves again who asks, so that no page of this session is asked for it within a test. */
  async prove(): Promise<void> {
    if (Date.now() - this.provedAt < proofAge) return
    const password = await this.encrypt(this.password)
    this.provedAt = Date.now()
    await this.call('POST', '/api/user/v1/me/step-up', { password })
  }

  private async ask<T>(method: string, path: string, body?: unknown): Promise<Envelope<T>> {
    const answer = await fetch(this.base + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'accept-language': 'en',
        ...(this.token ? { authorization: this.token } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Envelope<T>
  }

  /** The data of a call that has to succeed. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send<T>(method, path, body)
    if (answer.status !== 0) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }

  async encrypt(password: string): Promise<string> {
    const { publicKey } = await this.call<{ publicKey: string }>('POST', '/api/user/v1/client/login/getPbKey')
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const digest = createHash('md5').update(password).digest('hex')
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(digest)).toString('base64')
  }

  async signIn(username: string, password: string): Promise<this> {
    const signedIn = await this.call<{ token: string; id: string | number; groupId: string | number }>(
      'POST',
      '/api/user/v1/designjet/login',
      {
        username: Buffer.from(username).toString('base64'),
        password: await this.encrypt(password),
        ipAddr: '',
        diskName: '',
        authCode: '',
      },
    )
    Object.assign(this, { token: signedIn.token, id: signedIn.id, groupId: signedIn.groupId })
    this.password = password
    this.provedAt = Date.now()
    return this
  }

  tree(groupId: string | number): Promise<MenuEntry[]> {
    return this.call('GET', `/api/user/v1/menus/tree?groupId=${groupId}`)
  }
}

let counter = 0
/** A name that no other test uses, and that is the beginning of no other name. */
export const unique = (prefix: string) => `${prefix}${process.pid % 10_000}n${String(++counter).padStart(3, '0')}`

/** Makes groups and operators, as the administrator of the demo company. */
export class Staff {
  private constructor(readonly admin: Api) {}

  static async of(base: string): Promise<Staff> {
    return new Staff(await new Api(base).signIn('admin', adminPassword))
  }

  tree = () => this.admin.tree(this.admin.groupId)

  /** The name of a group, as lists show it. */
  async groupName(id: string | number): Promise<string> {
    const groups = await this.groups()
    return groups.find((group) => group.id === id)?.groupName ?? ''
  }

  async groupId(name: string): Promise<string | number> {
    const group = (await this.groups()).find(({ groupName }) => groupName === name)
    if (!group) throw new Error(`there is no group ${name}`)
    return group.id
  }

  private groups(): Promise<{ id: string | number; groupName: string }[]> {
    return this.admin.call('GET', '/api/user/v1/designjet/permissions/group/all')
  }

  /**
   * The id of a new group that holds the acts that `holds` picks, with the screens and sections above them; `bare`: and
   * the screens that have no acts.
   */
  async group(holds: (screen: MenuEntry, act: MenuEntry) => boolean, bare = false): Promise<string | number> {
    const groupName = unique('group')
    await this.admin.call('POST', '/api/user/v1/designjet/permissions/group', { groupName })
    const groupId = await this.groupId(groupName)
    const menuIds: (string | number)[] = []
    for (const section of await this.tree()) {
      const below: (string | number)[] = []
      for (const screen of section.children ?? []) {
        const all = screen.children ?? []
        const acts = all.filter((act) => holds(screen, act))
        if (acts.length > 0 || (bare && all.length === 0)) below.push(screen.id, ...acts.map((act) => act.id))
      }
      if (below.length > 0) menuIds.push(section.id, ...below)
    }
    await this.admin.call('POST', '/api/user/v1/menus/allot', { groupId, menuIds })
    return groupId
  }

  /** An operator who has never signed in: his first password is to be changed. */
  async newcomer(groupId = this.admin.groupId): Promise<Operator> {
    const username = unique('op_')
    const password = 'First_2026pw'
    const made = await this.admin.call<{ id: string | number }>('POST', '/api/user/v1/designjet/user', {
      username,
      password: await this.admin.encrypt(password),
      groupId,
      accountType: 'normal',
      email: '',
      phone: '',
      remark: '',
      enabled: true,
    })
    return { id: made.id, groupId, username, password }
  }

  /** An operator who has chosen his password. */
  async operator(groupId = this.admin.groupId): Promise<Operator> {
    const operator = await this.newcomer(groupId)
    const own = await new Api(this.admin.base).signIn(operator.username, operator.password)
    const password = 'Chosen_2026pw'
    const encrypted = await own.encrypt(password)
    await own.call('POST', '/api/user/v1/designjet/login/updatePassword', {
      password: encrypted,
      confirmPassword: encrypted,
    })
    return { ...operator, password }
  }
}
