import { row, search } from './support/list'
import { expect, test } from './support/test'

/** The server's answer ten minutes after the last proof, given once in its place. */
const refusal = {
  status: 4011,
  msg: 'prove it',
  data: null,
  success: false,
  errors: [{ field: 'password', code: 'required', message: '' }],
}

test('an act that takes a fresh proof asks for the password and then goes on by itself', async ({
  page,
  staff,
  enter,
  complaints,
}) => {
  // A wrong password is tried.
  complaints.expect(/400/)
  const victim = await staff.newcomer()
  const me = await enter(await staff.operator(), 'zh', '/user/management')
  await search(page, '搜索用户名、邮箱、手机号、备注', victim.username)
  let asked = 0
  await page.route('**/api/user/v1/operators/*/enable', (route) => {
    asked += 1
    return asked === 1 ? route.fulfill({ json: refusal }) : route.continue()
  })
  await staff.admin.call('POST', `/api/user/v1/operators/${victim.id}/disable`)
  await page.reload()
  await row(page, victim.username).getByRole('button', { name: '启用', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: '启用' }).click()

  const proof = page.getByRole('dialog').filter({ hasText: '确认身份' })
  await proof.getByLabel('登录密码').fill('Wrong_2026')
  await page.keyboard.press('Enter')
  await expect(proof.locator('[aria-invalid=true]')).toBeVisible()
  await proof.getByLabel('登录密码').fill(me.password)
  await proof.getByRole('button', { name: '确认' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(row(page, victim.username)).toContainText('启用')
  await expect(row(page, victim.username).getByRole('button', { name: '禁用', exact: true })).toBeVisible()
  expect(asked).toBe(2)
})
