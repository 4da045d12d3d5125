import { afterEach, expect, it } from 'vitest'
import { screen } from './fixtures'
import { setScreens } from './screens'
import { titleIn } from './titles'

afterEach(() => setScreens([]))

it('translates a title when a key exists: a code, or the Chinese name that the tree carries', () => {
  setScreens([screen('/clientUser', { code: 'clientUser', title: ['客户端用户', 'Client users'] })])
  expect(titleIn('clientUser', 'en')).toBe('Client users')
  expect(titleIn('客户端用户', 'en')).toBe('Client users')
  expect(titleIn('general', 'zh')).toBe('概览')
})

it('shows the raw name when none exists, such as one that an operator gave', () => {
  expect(titleIn('我们的客户', 'en')).toBe('我们的客户')
})
