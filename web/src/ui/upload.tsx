export { Upload, type UploadProps } from 'antd'
