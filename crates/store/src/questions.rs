//! Questions of running servers, so that each of them can show and answer those of all.
//!
//! Only the process whose run waits carries out an answer; the others write it here. A question is
//! lost with its process, so it need not be durable.

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::grants::{micros, stamp};
use crate::store::Store;

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Id of the question.
    pub id: String,
    /// Server whose run waits.
    pub front: String,
    /// Agent whose run waits.
    pub agent: Option<String>,
    /// Run that waits.
    pub run: String,
    /// The question as JSON.
    pub shown: String,
    /// Time at which it was asked.
    pub at: Timestamp,
}

const COLUMNS: &str = "id, front, agent, run, shown, at";

impl Store {
    /// Adds questions of a server.
    pub fn post_questions(&self, questions: &[OpenQuestion]) -> Result<(), Error> {
        self.write_soon(|transaction| {
            let sql = format!("INSERT INTO questions ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
            let mut insert = transaction.prepare_cached(&sql)?;
            for one in questions {
                let at = micros(one.at);
                insert.execute(params![one.id, one.front, one.agent, one.run, one.shown, at])?;
            }
            Ok(())
        })
    }

    /// Removes questions that wait no more.
    pub fn close_questions(&self, ids: &[String]) -> Result<(), Error> {
        self.write_soon(|transaction| {
            let mut delete = transaction.prepare_cached("DELETE FROM questions WHERE id = ?1")?;
            ids.iter().try_for_each(|id| delete.execute([id]).map(drop))
        })
    }

    /// Returns the questions of all servers but `front` that wait for an answer, oldest first.
    pub fn questions_of_others(&self, front: &str) -> Result<Vec<OpenQuestion>, Error> {
        // A server that is alone does not look through its own questions, which can be thousands.
        let sql = format!(
            "SELECT {COLUMNS} FROM questions
                WHERE EXISTS (SELECT 1 FROM fronts WHERE id <> ?1) AND front <> ?1 ORDER BY at, id"
        );
        self.read(|transaction| {
            transaction.prepare_cached(&sql)?.query_map([front], read)?.collect()
        })
    }

    /// Leaves an answer for the server whose run waits, and returns its number. Returns `None` if
    /// the question does not wait any more.
    pub fn leave_answer(&self, question: &str, answer: &str) -> Result<Option<i64>, Error> {
        self.write(|transaction| {
            let sql = "INSERT INTO answers (question, front, answer)
                SELECT id, front, ?2 FROM questions WHERE id = ?1 RETURNING number";
            transaction.query_row(sql, params![question, answer], |row| row.get(0)).optional()
        })
    }

    /// Returns the answers that were left for a server and not carried out yet: number, question
    /// and answer.
    pub fn answers_for(&self, front: &str) -> Result<Vec<(i64, String, String)>, Error> {
        let sql = "SELECT number, question, answer FROM answers
            WHERE front = ?1 AND settled IS NULL ORDER BY number";
        self.read(|transaction| {
            let mut select = transaction.prepare_cached(sql)?;
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            select.query_map([front], read)?.collect()
        })
    }

    /// Notes the result of an answer: an error, or nothing if it was carried out.
    pub fn settle_answer(&self, number: i64, error: &str) -> Result<(), Error> {
        self.write_soon(|transaction| {
            let sql = "UPDATE answers SET settled = ?2 WHERE number = ?1";
            transaction.execute(sql, params![number, error]).map(drop)
        })
    }

    /// Returns the result of an answer that was left, once; `None` if it was not carried out yet.
    /// An answer that is gone went with the server.
    pub fn take_settled(&self, number: i64) -> Result<Option<String>, Error> {
        let settled: Option<String> = self.read(|transaction| {
            let sql = "SELECT settled FROM answers WHERE number = ?1";
            let settled = transaction.query_row(sql, [number], |row| row.get(0)).optional()?;
            Ok(settled.unwrap_or_else(|| Some("the process whose run waited has ended".into())))
        })?;
        if settled.is_some() {
            self.write_soon(|transaction| {
                transaction.execute("DELETE FROM answers WHERE number = ?1", [number]).map(drop)
            })?;
        }
        Ok(settled)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<OpenQuestion> {
    Ok(OpenQuestion {
        id: row.get(0)?,
        front: row.get(1)?,
        agent: row.get(2)?,
        run: row.get(3)?,
        shown: row.get(4)?,
        at: stamp(row, 5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_by_its_server_alone_and_settled_once() {
        let store = Store::in_memory().unwrap();
        let _front = store.front("a", None, &[]).unwrap();
        let question = OpenQuestion {
            id: "qst_1".into(),
            front: "a".into(),
            agent: Some("agt_1".into()),
            run: "run_1".into(),
            shown: "{}".into(),
            at: Timestamp::from_micros(5),
        };
        store.post_questions(std::slice::from_ref(&question)).unwrap();
        assert_eq!(store.questions_of_others("b").unwrap(), [question]);
        assert!(store.questions_of_others("a").unwrap().is_empty());
        assert_eq!(store.leave_answer("qst_2", "yes").unwrap(), None);
        let number = store.leave_answer("qst_1", "yes").unwrap().expect("an open question");
        assert!(store.answers_for("b").unwrap().is_empty());
        let left = (number, "qst_1".to_owned(), "yes".to_owned());
        assert_eq!(store.answers_for("a").unwrap(), [left]);
        assert_eq!(store.take_settled(number).unwrap(), None);
        store.settle_answer(number, "late").unwrap();
        assert!(store.answers_for("a").unwrap().is_empty());
        assert_eq!(store.take_settled(number).unwrap().as_deref(), Some("late"));
        // A wrong answer leaves the question open.
        assert_eq!(store.questions_of_others("b").unwrap().len(), 1);
        let next = store.leave_answer("qst_1", "no").unwrap().expect("an open question");
        store.settle_answer(next, "").unwrap();
        assert_eq!(store.take_settled(next).unwrap().as_deref(), Some(""));
        store.close_questions(&["qst_1".into()]).unwrap();
        assert!(store.questions_of_others("b").unwrap().is_empty());
    }
}
