import { unique } from './support/api'
import { dismiss, row, search } from './support/list'
import { expect, test } from './support/test'

test('an import names every bad row, takes the good ones and tells what came of it', async ({ page, enter }) => {
  const good = unique('导入')
  const lines = [
    '姓名,手机号,邮箱,备注',
    `${good},13${String(Date.now()).slice(-9)},zhang@example.com,第一行`,
    ',13900000002,,没有姓名',
    '赵六,139,not mail,两处错误',
  ]
  await enter()
  await page.getByRole('button', { name: '导入', exact: true }).click()
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[type=file]').setInputFiles({
    name: '客户.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  })
  await expect(drawer.getByText('1 行可以导入，2 行有问题，将被跳过')).toBeVisible()
  const problems = drawer.getByRole('table', { name: '有问题的行' })
  await expect(problems.getByRole('row')).toHaveCount(4)
  await expect(problems.getByRole('row').filter({ hasText: '姓名' })).toContainText('3')
  await expect(problems.getByRole('row').filter({ hasText: 'not mail' })).toContainText('4')
  await drawer.getByRole('button', { name: '导入 1 行' }).click()
  await expect(page.getByRole('dialog').getByText(/已导入 1 行/)).toBeVisible()
  await dismiss(page, drawer)
  await search(page, '姓名、手机号、邮箱、识别码', good)
  await expect(row(page, good)).toContainText('zh')
})

test('a file that is no table is refused in words', async ({ page, enter, complaints }) => {
  complaints.expect(/415/)
  await enter()
  await page.getByRole('button', { name: '导入', exact: true }).click()
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[type=file]').setInputFiles({
    name: 'picture.xlsx',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
  })
  await expect(drawer.getByRole('alert')).toContainText('XLSX')
  await expect(drawer.getByRole('button', { name: /^导入 \d/ })).toHaveCount(0)
})
