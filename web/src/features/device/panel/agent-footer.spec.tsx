import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { fakeServer, good, show } from '@/testing/render'
import { AgentFooter } from './agent-footer'

const server = fakeServer()
const answers = (agents: unknown[]) =>
  server.use(http.get('*/api/fleet/v1/agents', () => good({ list: agents, total: agents.length })))
const agent = { id: 1, connectedAt: '2026-11-20T01:00:00.000Z', disconnectedAt: '2026-11-20T02:00:00.000Z' }

it('says when a room was last heard of, and leads to its agents', async () => {
  setLanguage('en')
  answers([{ ...agent, revokedAt: null }])
  show(<AgentFooter room={3} />)
  expect(await screen.findByRole('link', { name: 'Show agents' })).toHaveAttribute(
    'href',
    '/device/address?tab=agents&roomId=3',
  )
  expect(screen.getByText(/^Last report 2026-11-20 /)).toBeVisible()
})

it('leads to a join token where there is no agent that could connect', async () => {
  setLanguage('zh')
  answers([{ ...agent, revokedAt: '2026-11-21T00:00:00.000Z' }])
  show(<AgentFooter room={3} />)
  expect(await screen.findByRole('link', { name: '接入代理' })).toHaveAttribute(
    'href',
    '/device/address?tab=tokens&roomId=3',
  )
})
