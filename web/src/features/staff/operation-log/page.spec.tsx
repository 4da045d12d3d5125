import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import OperationLogPage from './page'

const server = fakeServer()

/** Answers the page's calls and remembers how the log was asked for. */
function answer() {
  const asked: Record<string, unknown>[] = []
  server.use(
    http.post('*/api/user/v1/operation/log/list', async ({ request }) => {
      asked.push((await request.json()) as Record<string, unknown>)
      return good({ list: [], total: 0, pageNum: 1, pageSize: 20 })
    }),
    http.get('*/api/user/v1/operation/log/words', () =>
      good({ actions: [{ code: 'group_copy', name: '复制权限组' }], objectKinds: [{ code: 'group', name: '权限组' }] }),
    ),
    http.post('*/api/user/v1/designjet/user/list', () => good({ list: [{ id: 7, username: 'alice' }], total: 1 })),
  )
  return asked
}

it('is narrowed by act, kind of object and operator, in words', async () => {
  const asked = answer()
  const { user, router } = show(<OperationLogPage />)
  await user.click(await screen.findByRole('combobox', { name: '操作员' }))
  await user.click(await screen.findByText('alice'))
  await user.click(screen.getByRole('combobox', { name: '操作' }))
  await user.click(await screen.findByText('复制权限组'))
  await user.click(screen.getByRole('combobox', { name: '对象类型' }))
  await user.click(await screen.findByText('权限组'))
  const wanted = { operatorId: 7, action: 'group_copy', objectKind: 'group' }
  await waitFor(() => expect(asked.at(-1)).toMatchObject(wanted))
  expect(router.state.location.search).toBe('?operatorId=7&action=group_copy&objectKind=group')
})

it('offers no operators to somebody who may not list them', async () => {
  answer()
  show(<OperationLogPage />, { rights: ['operationLog:list'] })
  expect(await screen.findByRole('combobox', { name: '操作' })).toBeInTheDocument()
  expect(screen.queryByRole('combobox', { name: '操作员' })).not.toBeInTheDocument()
})
