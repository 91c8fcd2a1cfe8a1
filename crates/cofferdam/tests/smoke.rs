use cofferdam::*;
use std::time::*;
#[test]
fn smoke() {
    let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    rt.block_on(async {
        let t = Instant::now();
        let sb = Sandbox::new().unwrap();
        println!("new {:?}", t.elapsed());
        for src in ["return 1+1", "console.log({a:1,b:[1,2,3]}, new Map([[1,2]])); return {x: args}", "throw new Error('no')", "let x = ;", "while(true){}", "await new Promise(r => setTimeout(r, 20)); return 'late'", "await new Promise(() => {})",
            "export default function (btcp, args) { return 7n }", "return new Array(1e9).fill(0)", "let s='x'; for(;;) s+=s", "function f(){ f() } f()", "return crypto.randomUUID() + performance.now()", "return structuredClone({a:new Date(0), m:new Map([[1,new Set([2])]])})", "return () => 1", "return [new Promise(()=>{})]", "return 'x'.repeat(1e7)", "for(;;) await 0", "/(a+)+$/.test('a'.repeat(40)+'b')", "setTimeout(()=>{throw new TypeError('late')},1); await new Promise(()=>{})", "return [Math.random(), Date.now()]"] {
            let t = Instant::now();
            let sb = Sandbox::builder().limits(Limits{time: Duration::from_millis(300), ..Limits::default()}).build().unwrap();
            let o = sb.run(&Tool::javascript(src).args(serde_json::json!({"n":1}))).await;
            println!("{src}\n   {:?} {}", t.elapsed(), o.map(|o| o.to_json().to_string()).unwrap_or_else(|e| e.to_string()));
        }
        let tool = Tool::javascript("return 1+1");
        let mut v = vec![];
        for _ in 0..5000 { let t = Instant::now(); sb.run(&tool).await.unwrap(); v.push(t.elapsed().as_nanos() as f64/1000.); }
        v.sort_by(f64::total_cmp);
        println!("p50 {} p90 {} p99 {}", v[v.len()/2], v[v.len()*9/10], v[v.len()*99/100]);
        let s = sb.session("a").unwrap();
        for src in ["let a = 1; const b = 2; a + b", "a + b + 10", "while(1){}", "typeof a"] { println!("{src} {}", s.run(&Tool::javascript(src)).await.unwrap().to_json()); }
    });
    let _ = Duration::ZERO;
}
