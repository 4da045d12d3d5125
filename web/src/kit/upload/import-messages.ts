import { counted, defineMessages } from '@/i18n/messages'

export const importMessages = defineMessages({
  drop: ['点击选择文件，或将文件拖到这里', 'Choose a file, or drop it here'],
  kinds: ['支持 XLSX 和 CSV，第一行为表头', 'XLSX or CSV; the first row must hold the column names'],
  columns: (names: string) => [`可用的列：${names}`, `Available columns: ${names}`],
  other: ['换一个文件', 'Another file'],
  summary: (file: string, total: string) => [`${file}：共 ${total} 行`, `${file}: ${counted(total, 'row')}`],
  allGood: (good: string) => [`全部 ${good} 行都可以导入`, `Rows that can be imported: ${good} (all)`],
  someBad: (good: string, bad: string) => [
    `${good} 行可以导入，${bad} 行有问题，将被跳过`,
    `Rows that can be imported: ${good}. Rows with problems, to be skipped: ${bad}`,
  ],
  noneGood: ['没有可以导入的行，请修正后重新上传', 'No rows can be imported. Correct the file and upload it again'],
  run: (good: string) => [`导入 ${good} 行`, `Import ${counted(good, 'row')}`],
  badRows: ['有问题的行', 'Rows with problems'],
  badFile: ['下载问题行', 'Download these rows'],
  badFileHint: ['带原因的表格，改好后只需上传这一份', 'A table with the reasons; correct it and upload it alone'],
  template: ['下载模板', 'Download the template'],
  left: (names: string) => [`不导入的列：${names}`, `Columns that are not imported: ${names}`],
  badShown: (shown: string, all: string) => [
    `显示前 ${shown} 个问题，共 ${all} 行`,
    `Showing the first ${counted(shown, 'problem')}; rows with problems: ${all}`,
  ],
  row: ['行号', 'Row'],
  field: ['列', 'Column'],
  value: ['内容', 'Content'],
  reason: ['原因', 'Reason'],
  sample: ['数据预览', 'Preview'],
})
