import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { Integrity } from './integrity'

const found = {
  checkedAt: '2026-11-22T02:30:00.000Z',
  milliseconds: 12_340,
  thorough: true,
  ok: true,
  problems: [],
  logLines: 4711,
  anchors: 12,
}

it('is a line while all is well', () => {
  setLanguage('en')
  render(<Integrity found={found} />)
  expect(screen.getByText(/database intact, 4711 operation log entries unaltered \(12\.3 s\)/)).toBeVisible()
  expect(screen.queryByRole('alert')).toBeNull()
})

it('is an alert that names what is wrong otherwise', () => {
  setLanguage('zh')
  const problems = ['*** in database main ***', '操作日志第 7 条：它的内容被修改过']
  render(<Integrity found={{ ...found, ok: false, problems }} />)
  const alert = screen.getByRole('alert')
  expect(alert).toHaveTextContent('检查发现 2 个问题')
  expect(alert).toHaveTextContent('操作日志第 7 条：它的内容被修改过')
})
