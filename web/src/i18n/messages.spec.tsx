import { act, render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { readCookie } from './cookie'
import { setLanguage } from './language'
import { defineMessages, type MessageTree, textsOf, useMessages } from './messages'

beforeEach(() => setLanguage('zh'))

const messages = defineMessages({
  title: ['标题', 'Title'],
  fields: { amount: ['金额', 'Amount'] },
  paid: (amount: string) => [`已付 ${amount}`, `${amount} paid`],
})

function Heading() {
  return <h1>{useMessages(messages).title}</h1>
}

describe('texts', () => {
  it('are read in the language of the moment, nested and with values', () => {
    expect(textsOf(messages).fields.amount).toBe('金额')
    expect(textsOf(messages, 'en').paid('¥5')).toBe('¥5 paid')
  })

  it('follow a switch, and the choice is in the cookie and on the document', () => {
    render(<Heading />)
    expect(screen.getByRole('heading')).toHaveTextContent('标题')
    act(() => setLanguage('en'))
    expect(screen.getByRole('heading')).toHaveTextContent('Title')
    expect(readCookie('language')).toBe('en')
    expect(document.documentElement.lang).toBe('en')
  })
})

/** Every text of the console: each `messages.ts`, the shared words, the error catalogue, the titles. */
const modules = import.meta.glob<Record<string, unknown>>(
  ['../**/messages.ts', './words.ts', '../api/errors.ts', '../api/catalogue.ts'],
  { eager: true },
)

type Found = { at: string; zh: string; en: string }

function pairsIn(value: unknown, at: string): Found[] {
  if (Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string')) {
    return [{ at, zh: String(value[0]), en: String(value[1]) }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => pairsIn(item, `${at}[${index}]`))
  if (typeof value === 'function') {
    const args = Array.from({ length: value.length }, () => 2)
    return /^\(/.test(String(value)) ? pairsIn((value as (...args: unknown[]) => unknown)(...args), `${at}()`) : []
  }
  if (typeof value !== 'object' || value === null) return []
  const inside = 'tree' in value ? (value as { tree: MessageTree }).tree : value
  return Object.entries(inside).flatMap(([key, child]) => (key === 'load' ? [] : pairsIn(child, `${at}.${key}`)))
}

const pairs = Object.entries(modules).flatMap(([file, module]) =>
  Object.entries(module)
    .filter(([, value]) => typeof value === 'object')
    .flatMap(([name, value]) => pairsIn(value, `${file}:${name}`)),
)

const han = /\p{Script=Han}/u
/** Texts whose point is to be in the other language: the language switch. */
const crossed = (at: string) => /(otherLanguage|switchLanguage|languageShort)$/.test(at)

describe('all texts of the console', () => {
  it('are many, so that this test sees something', () => {
    expect(pairs.length).toBeGreaterThan(150)
  })

  it('are complete: neither language is empty', () => {
    expect(pairs.filter(({ zh, en }) => zh.trim() === '' || en.trim() === '')).toEqual([])
  })

  it('have no Chinese in the English', () => {
    expect(pairs.filter(({ at, en }) => han.test(en) && !crossed(at))).toEqual([])
  })

  it('end alike: a sentence in one language is a sentence in the other', () => {
    const ends = ({ zh, en }: Found) => /[？?]$/.test(zh) === /\?$/.test(en.trim())
    expect(pairs.filter((pair) => !ends(pair))).toEqual([])
  })
})
