//! The floor: a bare axum over rusqlite that does the same queries on the same file, without sign-in,
//! permissions, envelope or log.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use axum::extract::{Path as Id, State};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use rusqlite::{Connection, OpenFlags, params};
use serde_json::{Value, json};

const ROW: &str = "SELECT id, name, phone, email, ident_code, login_method, device_name, register_ip, client_type, \
    client_version, status, star_coins, phone_count, remark, registered_at, last_login_at FROM client_user";

#[derive(Debug)]
struct Pool {
    readers: Vec<Mutex<Connection>>,
    writer: Mutex<Connection>,
}

/// Serves until it is killed; prints its address first.
pub async fn serve(file: &Path) -> anyhow::Result<()> {
    let open = |flags| -> anyhow::Result<Mutex<Connection>> {
        let connection = Connection::open_with_flags(file, flags)?;
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA busy_timeout = 5000;")?;
        Ok(Mutex::new(connection))
    };
    let writer = open(OpenFlags::default())?;
    let readers = (0..4).map(|_| open(OpenFlags::default())).collect::<anyhow::Result<Vec<_>>>()?;
    let pool = Arc::new(Pool { readers, writer });
    let router = Router::new()
        .route("/hello", get(async || "hello"))
        .route("/list2", get(list2))
        .route("/listall", get(list_all))
        .route("/deep", get(deep))
        .route("/search", get(search))
        .route("/read/{id}", get(read))
        .route("/update/{id}", put(update))
        .route("/create/{n}", post(create))
        .with_state(pool);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}

impl Pool {
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> T {
        let reader = self.readers.iter().find_map(|reader| reader.try_lock().ok());
        let reader = reader.unwrap_or_else(|| self.readers[0].lock().expect("no panic while reading"));
        work(&reader).expect("the floor's query")
    }
}

fn view(row: &rusqlite::Row<'_>) -> rusqlite::Result<Value> {
    Ok(json!({
        "id": row.get::<_, i64>(0)?, "name": row.get::<_, String>(1)?, "phone": row.get::<_, String>(2)?,
        "email": row.get::<_, String>(3)?, "identCode": row.get::<_, String>(4)?, "loginMethod": row.get::<_, i64>(5)?,
        "deviceName": row.get::<_, String>(6)?, "registerIp": row.get::<_, String>(7)?, "clientType": row.get::<_, i64>(8)?,
        "clientVersion": row.get::<_, String>(9)?, "status": row.get::<_, i64>(10)?, "starCoins": row.get::<_, i64>(11)?,
        "phoneCount": row.get::<_, i64>(12)?, "remark": row.get::<_, String>(13)?, "registeredAt": row.get::<_, i64>(14)?,
        "lastLoginAt": row.get::<_, Option<i64>>(15)?,
    }))
}

fn page(pool: &Pool, filter: &str, offset: u64) -> Json<Value> {
    pool.read(|db| {
        let total: i64 = db
            .prepare_cached(&format!("SELECT count(*) FROM client_user {filter}"))?
            .query_row([], |row| row.get(0))?;
        let mut statement = db.prepare_cached(&format!("{ROW} {filter} ORDER BY id DESC LIMIT 20 OFFSET {offset}"))?;
        let list = statement.query_map([], view)?.collect::<Result<Vec<_>, _>>()?;
        Ok(Json(json!({ "list": list, "total": total })))
    })
}

async fn list2(State(pool): State<Arc<Pool>>) -> Json<Value> {
    page(&pool, "WHERE status = 2 AND login_method = 3", 0)
}

async fn list_all(State(pool): State<Arc<Pool>>) -> Json<Value> {
    page(&pool, "", 0)
}

async fn deep(State(pool): State<Arc<Pool>>) -> Json<Value> {
    let half: i64 =
        pool.read(|db| db.prepare_cached("SELECT max(id) / 2 FROM client_user")?.query_row([], |row| row.get(0)));
    page(&pool, "", half.unsigned_abs())
}

async fn search(State(pool): State<Arc<Pool>>) -> Json<Value> {
    page(&pool, "WHERE name LIKE '%138001%' OR phone LIKE '%138001%'", 0)
}

async fn read(State(pool): State<Arc<Pool>>, Id(id): Id<i64>) -> Json<Value> {
    Json(pool.read(|db| db.prepare_cached(&format!("{ROW} WHERE id = ?1"))?.query_row([id], view)))
}

async fn update(State(pool): State<Arc<Pool>>, Id(id): Id<i64>) -> Json<Value> {
    let writer = pool.writer.lock().expect("no panic while writing");
    let done = writer
        .prepare_cached("UPDATE client_user SET remark = ?2 WHERE id = ?1")
        .and_then(|mut s| s.execute(params![id, "bench"]));
    Json(json!(done.expect("the floor's update")))
}

async fn create(State(pool): State<Arc<Pool>>, Id(n): Id<i64>) -> Json<Value> {
    let writer = pool.writer.lock().expect("no panic while writing");
    let sql = "INSERT INTO client_user (name, phone, email, ident_code, login_method, device_name, register_ip, client_type, \
        client_version, status, remark, registered_at, updated_at) VALUES ('floor', '', '', ?1, 6, '', '', 4, '', 1, '', 0, 0)";
    let done = writer.prepare_cached(sql).and_then(|mut s| s.execute([format!("floor{n}")]));
    Json(json!(done.expect("the floor's insert")))
}
