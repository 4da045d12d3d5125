import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import OperationLogDetail from './detail'
import { shellOf, typedText } from './shell-record'

const server = fakeServer()

it('breaks the text where Enter was pressed and hides no control character', () => {
  expect(typedText([{ text: 'l' }, { text: 's␍' }, { text: 'rm x␡␡␍' }])).toBe('ls␍\nrm x␡␡␍\n')
})

it('knows which lines of the log close a record', () => {
  expect(shellOf('card_shell_end', { shellId: 7 })).toBe(7)
  expect(shellOf('card_shell_end', null)).toBeUndefined()
  expect(shellOf('bmc_update', { shellId: 7 })).toBeUndefined()
})

it('shows what was typed in the shell that a line of the log closes', async () => {
  server.use(
    http.get('*/api/user/v1/operation/log/5', () =>
      good({ id: 5, action: 'card_shell_end', actionName: '结束设备终端', after: { shellId: 7 }, before: null }),
    ),
    http.get('*/api/fleet/v1/shell-records/7', () =>
      good({ list: [{ id: 1, at: '2026-11-22 10:00:00', bytes: 3, text: 'ls␍' }], total: 1, pageNum: 1, pageSize: 20 }),
    ),
  )
  const { user } = show(<OperationLogDetail id={5} onClose={() => undefined} />)
  await user.click(await screen.findByRole('tab', { name: '终端输入' }))
  expect(await screen.findByRole('region', { name: '本页输入' })).toHaveTextContent('ls␍')
})
