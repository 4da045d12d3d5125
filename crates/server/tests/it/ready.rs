//! `/readyz` says what does not work.

use testapp::TestApp;
use testkit::db_test;

db_test! {
    async fn a_folder_that_takes_no_files_is_told(db) {
        let app = TestApp::new(db).await;
        let ask = async || app.anybody().lang("en").get("/readyz").await;
        assert_eq!(ask().await.http, 200);
        let data = &app.app.config.data_dir;
        // Its disk is gone. One that is full is tried in `tests/faults`.
        std::fs::rename(data.join("objects"), data.join("gone")).unwrap();
        let answer = ask().await;
        assert_eq!(answer.brief(), (503, 5003));
        let words = answer.json()["msg"].as_str().unwrap().to_owned();
        assert!(words.contains("folder of uploaded files"), "{words}");
        std::fs::rename(data.join("gone"), data.join("objects")).unwrap();
        assert_eq!(ask().await.http, 200);
    }
}
