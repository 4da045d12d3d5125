// Runs every row of the table that the server runs too (crates/kernel/src/rules/tests/table.rs).
import { describe, expect, it } from 'vitest'
import table from '../../../api/rule-cases.json'
import messages from '../../../api/rule-messages.json'
import * as contact from './contact'
import * as files from './files'
import * as format from './format'
import * as lists from './lists'
import * as network from './network'
import * as numbers from './numbers'
import * as people from './people'
import * as texts from './texts'
import * as times from './times'
import * as versions from './versions'
import { type Reading, ruleMessage, type Verdict } from './violation'

type Judge = (args: Args) => Verdict

/** The arguments of a row, read by place. */
class Args {
  readonly values: readonly unknown[]

  constructor(values: readonly unknown[]) {
    this.values = values
  }

  text(at: number): string {
    const value = this.values[at]
    if (typeof value === 'string') return value
    const { repeat } = value as { repeat: [string, number] }
    return repeat[0].repeat(repeat[1])
  }

  number(at: number): number {
    const value = this.values[at]
    if (typeof value !== 'number') throw new Error(`not a number: ${value}`)
    return value
  }

  /** Numbers that a browser cannot count exactly are written as texts. */
  whole(at: number): number | bigint {
    return typeof this.values[at] === 'string' ? BigInt(this.text(at)) : this.number(at)
  }

  time = (at: number): Date => new Date(this.text(at))
  kind = (at: number): files.FileKind => this.text(at) as files.FileKind
  list = <T>(at: number): T[] => this.values[at] as T[]
}

const onText =
  (rule: (text: string) => Verdict): Judge =>
  (a) =>
    rule(a.text(0))
const onNumber =
  (rule: (value: number) => Verdict): Judge =>
  (a) =>
    rule(a.number(0))

const judges: Record<string, Judge> = {
  required: onText(texts.required),
  maxChars: (a) => texts.maxChars(a.number(1))(a.text(0)),
  textBetween: (a) => texts.textBetween(a.number(1), a.number(2))(a.text(0)),
  noLeadingSpace: onText(texts.noLeadingSpace),
  singleLine: onText(texts.singleLine),
  line: (a) => texts.line(a.number(1))(a.text(0)),
  paragraph: (a) => texts.paragraph(a.number(1))(a.text(0)),
  notificationName: onText(texts.notificationName),
  activityTitle: onText(texts.activityTitle),
  activityContent: onText(texts.activityContent),
  username: onText(people.username),
  signInName: onText(people.signInName),
  password: onText(people.password),
  loginPassword: onText(people.loginPassword),
  passwordWithoutName: (a) => people.passwordWithoutName(a.text(0), a.text(1)),
  passwordsMatch: (a) => people.passwordsMatch(a.text(0), a.text(1)),
  groupName: onText(people.groupName),
  chineseName: onText(people.chineseName),
  name: onText(people.name),
  idCard: onText(people.idCard),
  idCardWarning: onText(people.idCardWarning),
  bankCard: onText(people.bankCard),
  bankCardWarning: onText(people.bankCardWarning),
  phone: onText(contact.phone),
  mobilePhone: onText(contact.mobilePhone),
  email: onText(contact.email),
  forumLink: onText(contact.forumLink),
  integerBetween: (a) => numbers.integerBetween(a.number(1), a.number(2))(a.number(0)),
  integerTextBetween: (a) => numbers.integerTextBetween(a.number(1), a.number(2))(a.text(0)),
  wholeNumber: onText(numbers.wholeNumber),
  decimalBetween: (a) => numbers.decimalBetween(a.text(1), a.text(2), a.number(3))(a.text(0)),
  yuan: onText(numbers.yuan),
  priority: onNumber(numbers.priority),
  downloadSpeed: onNumber(numbers.downloadSpeed),
  uploadSpeed: onNumber(numbers.uploadSpeed),
  eventPrice: (a) => numbers.eventPrice(a.number(0), a.number(1)),
  giftCount: onText(numbers.giftCount),
  port: onNumber(network.port),
  ipv4: onText(network.ipv4),
  host: onText(network.host),
  ipRange: (a) => network.ipRange(a.text(0), a.text(1)),
  portRange: (a) => network.portRange(a.number(0), a.number(1)),
  equalSpan: (a) => network.equalSpan(a.text(0), a.text(1), a.number(2), a.number(3)),
  notBefore: (a) => times.notBefore(a.time(0), a.time(1)),
  afterNow: (a) => times.afterNow(a.time(0), a.time(1)),
  dateTimeText: (a) => times.dateTimeText(a.text(0), a.number(1)),
  dayTime: onText(times.dayTime),
  atMost: (a) => lists.atMost(a.number(1))(a.number(0)),
  atLeastOne: onNumber(lists.atLeastOne),
  recommended: onNumber(lists.recommended),
  uniqueKeys: (a) => lists.uniqueKeys(a.list<string>(0)),
  moveUp: onNumber(lists.moveUp),
  moveDown: (a) => lists.moveDown(a.number(0), a.number(1)),
  version: onText(versions.version),
  fileExtension: (a) => files.fileExtension(a.kind(1))(a.text(0)),
  fileSize: (a) => files.fileSize(a.number(1))(a.number(0)),
  fileName: onText(files.fileName),
  imagePixels: (a) => files.imagePixels(a.number(0), a.number(1), a.list<files.PixelSize>(2)),
}

function valueIn<T>(reading: Reading<T>): T {
  if ('violation' in reading) throw new Error(reading.violation.code)
  return reading.value
}

const shows: Record<string, (args: Args) => unknown> = {
  abbreviate: (a) => format.abbreviate(a.whole(0)),
  byteSize: (a) => format.byteSize(a.whole(0)),
  money: (a) => format.money(a.whole(0)),
  grouped: (a) => format.grouped(a.whole(0)),
  dateTime: (a) => format.formatDateTime(a.time(0), a.number(1)),
  relativeTime: (a) => format.relativeTime(a.time(0), a.time(1), a.text(3) === 'en' ? 'en' : 'zh', a.number(2)),
  spreadsheetText: (a) => format.spreadsheetText(a.text(0)),
  compareVersions: (a) => versions.compareVersions(a.text(0), a.text(1)),
  giftCount: (a) => valueIn(numbers.readGiftCount(a.text(0))) ?? 'none',
  yuan: (a) => valueIn(numbers.readYuan(a.text(0))),
  dateTimeText: (a) => valueIn(times.readDateTime(a.text(0), a.number(1))).toISOString(),
  ipRange: (a) => valueIn(network.readIpRange(a.text(0), a.text(1))),
  portRange: (a) => valueIn(network.readPortRange(a.number(0), a.number(1))),
  fileExtensions: (a) => files.fileKinds[a.kind(0)].extensions.join(', '),
  fileMaxBytes: (a) => files.fileKinds[a.kind(0)].maxBytes,
  bannerSizes: () => files.pixelList(files.bannerSizes),
}

interface RuleRow {
  in: unknown[]
  breaks: string | null
  says?: string[]
}

const rules: [string, RuleRow[]][] = Object.entries(table.rules)
const formats: [string, { in: unknown[]; out: string }[]][] = Object.entries(table.formats)

describe('the shared table of rules', () => {
  it.each(rules)('%s judges every row as the server does', (rule, rows) => {
    const judge = judges[rule]
    if (!judge) throw new Error(`the table has a rule that the web lacks: ${rule}`)
    const found = rows.map((row) => [...row.in, judge(new Args(row.in))?.code ?? null])
    expect(found).toEqual(rows.map((row) => [...row.in, row.breaks]))
    for (const row of rows) {
      const broken = judge(new Args(row.in))
      if (broken && row.says) {
        expect([ruleMessage(broken, 'zh'), ruleMessage(broken, 'en')]).toEqual(row.says)
      }
    }
  })

  it('leaves no place of a message unfilled', () => {
    for (const [rule, rows] of rules) {
      for (const row of rows) {
        const broken = judges[rule]?.(new Args(row.in))
        if (!broken) continue
        const places = [...(messages[broken.code][1] ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1])
        const known = new Set([...Object.keys(broken.params), 'host'])
        expect(places.filter((place) => place !== undefined && !known.has(place))).toEqual([])
      }
    }
  })

  it('has rows for every rule of the web', () => {
    expect(rules.map(([rule]) => rule).sort()).toEqual(Object.keys(judges).sort())
    expect(formats.map(([name]) => name).sort()).toEqual(Object.keys(shows).sort())
  })
})

describe('the shared table of formats', () => {
  it.each(formats)('%s shows every row as the server does', (name, rows) => {
    const show = shows[name]
    if (!show) throw new Error(`the table has a format that the web lacks: ${name}`)
    const found = rows.map((row) => [...row.in, String(show(new Args(row.in)))])
    expect(found).toEqual(rows.map((row) => [...row.in, row.out]))
  })
})

describe('the shared messages', () => {
  const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

  it.each(Object.entries(messages))('%s is there in both languages', (_, pair) => {
    const [zh = '', en = ''] = pair
    expect(pair).toHaveLength(2)
    expect(zh).toMatch(/\p{Script=Han}/u)
    expect(en).toMatch(/^[A-Z][^\p{Script=Han}]+$/u)
    expect(placesOf(zh)).toEqual(placesOf(en))
  })

  it('has a message for every code of the table', () => {
    const codes = rules.flatMap(([, rows]) => rows.map((row) => row.breaks)).filter((code) => code !== null)
    expect(codes.filter((code) => !Object.hasOwn(messages, code))).toEqual([])
  })
})
