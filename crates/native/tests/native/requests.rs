//! Files, variables and programs: denied with an id, granted, asked about, revoked.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_broker::{
    Answer, Approver, FolderMode, HostFolder, PermissionError, Question, Span, Terms,
};
use cofferdam_native::End;
use libtest_mimic::Trial;

use crate::world::{Folder, Office, err, out, program, python};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("requests::denied_file_is_granted_by_its_id", denied_then_granted),
        Trial::test("requests::folder_grant_shows_the_folder", folder_grant),
        Trial::test("requests::grant_for_a_file_shows_that_file_alone", file_grant),
        Trial::test("requests::link_needs_a_grant_for_its_target", links),
        Trial::test("requests::writing_needs_a_grant_to_write", writing),
        Trial::test("requests::program_waits_at_the_call", asked),
        Trial::test("requests::revoked_folder_is_gone", revoked),
        Trial::test("requests::mounts", mounts),
        Trial::test("requests::variables_are_granted_by_name", variables),
        Trial::test("requests::programs_are_granted_by_name", programs),
        Trial::test("requests::own_program_needs_a_grant_and_a_name_of_its_own", own_programs),
        Trial::test("requests::store_stays_hidden", hidden),
        Trial::test("requests::store_cannot_be_replaced", replaced),
        Trial::test("requests::store_cannot_be_replaced_below_a_live_grant", replaced_later),
        Trial::test("requests::program_below_a_mount_starts_there", program_below_a_mount),
        Trial::test("requests::settings_above_the_work_are_no_requests", settings_above),
        Trial::test("requests::working_directory_need_not_be_text", odd_directory),
        Trial::test("requests::named_file_is_a_request_whatever_its_name", named_file),
        Trial::test("requests::script_is_shown_and_its_folder_is_asked_about", script),
        Trial::test("requests::shims_say_what_to_grant", shims),
        Trial::test("requests::probes_of_runtimes_are_no_requests", silent),
        Trial::test("requests::program_can_be_looked_at_before_it_is_granted", looks),
        Trial::test("requests::hard_link_of_a_program_is_that_program", hard_link),
        Trial::test("requests::environment_of_python_is_shown", environment),
        Trial::test("requests::own_files_are_code_if_every_program_is_granted", own_code),
        Trial::test("requests::mount_of_the_root_has_no_files_of_the_program", mount_of_root),
        Trial::test("requests::program_below_tmp_starts_in_its_own_folder", program_below_tmp),
        Trial::test("requests::programs_of_an_installation_are_granted_by_name", installation),
        Trial::test("requests::program_of_the_users_path_is_granted_by_name", users_path),
        Trial::test("requests::refused_start_can_be_explained", refused_start),
        Trial::test("requests::command_line_of_the_supervisor_is_not_shown", command_line),
    ]
}

type Tested = Result<(), libtest_mimic::Failed>;

fn read(path: &str) -> cofferdam_native::Program {
    python(&format!("print(open({path:?}).read())"))
}

fn denied_then_granted() -> Tested {
    let folder = Folder::new();
    let file = folder.write("data.txt", "content");
    let office = Office::new(&[]);
    let (ran, denials) = office.run(read(&file));
    assert_eq!(ran.end, End::Exited(1));
    assert!(err(&ran).contains("PermissionError: [Errno 13]"), "{}", err(&ran));
    let found = PermissionError::find_in(&err(&ran));
    let [denied] = &found[..] else { panic!("{}", err(&ran)) };
    assert_eq!(denied.required_permission(), format!("fs:read:{file}"));
    assert_eq!(denials.len(), 1);
    let id = denied.request_id().parse()?;
    let terms = office.broker.terms_for(&id, Span::Always)?;
    office.broker.grant_request(&id, terms)?;
    let (ran, denials) = office.run(read(&file));
    assert_eq!((ran.end, out(&ran).as_str()), (End::Exited(0), "content\n"), "{}", err(&ran));
    assert!(denials.is_empty());
    // Another program has not been granted anything.
    let (ran, _) = office.run(program(&["cat", &file]));
    assert_eq!(ran.end, End::Exited(1));
    Ok(())
}

fn folder_grant() -> Tested {
    let folder = Folder::new();
    folder.write("data/a/b.txt", "deep");
    folder.write("other.txt", "other");
    let office = Office::new(&[&format!("fs:read:{}/**", folder.text("data"))]);
    let code = format!(
        "import os\nroot = {:?}\nprint(open(root + '/data/a/b.txt').read())\nos.chdir(root)\n\
         print(sorted(os.listdir('data')), sorted(os.listdir('.')))\nopen('other.txt')",
        folder.root().to_str().expect("text")
    );
    let (ran, denials) = office.run(python(&code));
    assert_eq!(out(&ran), "deep\n['a'] ['data']\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{}", folder.text("other.txt"))]);
    Ok(())
}

fn file_grant() -> Tested {
    let folder = Folder::new();
    let one = folder.write("one.txt", "1");
    let two = folder.write("two.txt", "2");
    let office = Office::new(&[&format!("fs:read:{one}")]);
    let code = format!(
        "import os\nprint(open({one:?}).read(), os.stat({one:?}).st_size)\n\
         try: open({one:?}, 'a')\nexcept OSError as e: print(e.errno)\nopen({two:?})"
    );
    let (ran, denials) = office.run(python(&code));
    assert_eq!(out(&ran), "1 1\n13\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:write:{one}"), format!("fs:read:{two}")]);
    assert_eq!(folder.read("one.txt"), "1");
    Ok(())
}

/// T-NAT-008: a granted folder with a link that leads out of it.
fn links() -> Tested {
    let folder = Folder::new();
    let secret = folder.write("secret/key", "key");
    folder.write("data/a", "a");
    std::os::unix::fs::symlink(&secret, folder.path("data/link"))?;
    std::os::unix::fs::symlink(folder.path("data"), folder.path("short"))?;
    let office = Office::new(&[&format!("fs:read:{}/**", folder.text("data"))]);
    let code = format!(
        "print(open({:?}).read())\nprint(open({:?}).read())",
        folder.text("short/a"),
        folder.text("data/link")
    );
    let (ran, denials) = office.run(python(&code));
    assert_eq!(out(&ran), "a\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{secret}")]);
    Ok(())
}

fn writing() -> Tested {
    let folder = Folder::new();
    folder.write("work/old.txt", "old");
    let work = folder.text("work");
    let code = format!(
        "import os\nos.chdir({work:?})\nopen('new.txt', 'w').write('new')\n\
         open('old.txt', 'a').write('er')\nos.mkdir('d')\nos.rename('new.txt', 'd/moved')\nprint('ok')"
    );
    let office = Office::new(&[&format!("fs:read:{work}/**")]);
    let (ran, denials) = office.run(python(&code));
    assert_eq!(ran.end, End::Exited(1));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:write:{work}/new.txt")], "{}", err(&ran));
    let office = Office::new(&[&format!("fs:read:{work}/**"), &format!("fs:write:{work}/**")]);
    let (ran, _) = office.run(python(&code));
    assert_eq!(out(&ran), "ok\n", "{}", err(&ran));
    assert_eq!(
        (folder.read("work/old.txt"), folder.read("work/d/moved")),
        ("older".into(), "new".into())
    );
    // A folder that may be changed, but not read, is not shown whole.
    let office = Office::new(&[&format!("fs:write:{work}/**"), &format!("fs:read:{work}/old.txt")]);
    let code = format!("open('{work}/old.txt', 'a').write('!')\nopen('{work}/d/moved')");
    let (ran, denials) = office.run(python(&code));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{work}/d/moved")], "{}", err(&ran));
    assert_eq!(folder.read("work/old.txt"), "older!");
    // One file, which is made by being written.
    let made = folder.text("made.txt");
    let office = Office::new(&[&format!("fs:read:{made}"), &format!("fs:write:{made}")]);
    let (ran, _) = office.run(python(&format!("open({made:?}, 'w').write('made')")));
    assert_eq!(
        (ran.end, folder.read("made.txt").as_str()),
        (End::Exited(0), "made"),
        "{}",
        err(&ran)
    );
    Ok(())
}

/// An approver that says yes, after a moment.
struct Yes(AtomicUsize);

impl Approver for Yes {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { question.allow(Span::Session) })
    }
}

fn asked() -> Tested {
    let folder = Folder::new();
    let file = folder.write("data.txt", "content");
    let yes = Arc::new(Yes(AtomicUsize::new(0)));
    let office = Office::with(&[], Some(yes.clone()));
    let code = format!(
        "import subprocess\nprint(open({file:?}).read(), flush=True)\n\
         print(subprocess.run(['/usr/bin/id', '-un'], capture_output=True, text=True).stdout)"
    );
    let (ran, denials) = office.run(python(&code));
    assert_eq!(out(&ran), "content\nuser\n\n", "{}", err(&ran));
    assert!(denials.is_empty());
    assert_eq!(yes.0.load(Ordering::SeqCst), 2);
    Ok(())
}

fn revoked() -> Tested {
    let folder = Folder::new();
    folder.write("data/a.txt", "a");
    let office = Office::new(&[]);
    let data = folder.text("data");
    let terms = Terms::new(format!("fs:read:{data}/**").parse()?, Span::Session);
    let grant = office.permissions.grant(terms)?;
    let code = format!(
        "import sys, time\nprint(open('{data}/a.txt').read(), flush=True)\nsys.stdin.read(1)\n\
         for _ in range(2000):\n  try: open('{data}/a.txt')\n  except OSError as e:\n    \
         print('gone', e.errno); break\n  time.sleep(0.01)"
    );
    let (mut running, _) = office.start(python(&code));
    let mut stdin = running.take_stdin().expect("standard input");
    office.permissions.revoke(&grant.id, "test")?;
    std::io::Write::write_all(&mut stdin, b"x")?;
    let executor = tokio::runtime::Builder::new_current_thread().build()?;
    let ran = executor.block_on(running.wait());
    let text = out(&ran);
    // The grant may be revoked before the first read.
    assert!(text == "a\ngone 13\n" || err(&ran).contains("Errno 13"), "{text} {}", err(&ran));
    Ok(())
}

fn mounts() -> Tested {
    let folder = Folder::new();
    for name in ["ro", "rw", "overlay"] {
        folder.write(&format!("{name}/a.txt"), "old");
    }
    let mut changes = python(
        "for name in ('ro', 'rw', 'overlay'):\n  try:\n    open(f'/m/{name}/a.txt', 'w').write('new')\n    \
         print(name, open(f'/m/{name}/a.txt').read())\n  except OSError as e: print(name, e.errno)",
    );
    for (name, mode) in [
        ("ro", FolderMode::ReadOnly),
        ("rw", FolderMode::ReadWrite),
        ("overlay", FolderMode::Overlay),
    ] {
        changes.folders.push(HostFolder {
            at: format!("/m/{name}"),
            host: folder.text(name),
            mode,
        });
    }
    let (ran, _) = Office::new(&[]).run(changes);
    assert_eq!(out(&ran), "ro 30\nrw new\noverlay new\n", "{}", err(&ran));
    let now = ["ro", "rw", "overlay"].map(|name| folder.read(&format!("{name}/a.txt")));
    assert_eq!(now, ["old", "new", "old"]);
    Ok(())
}

fn variables() -> Tested {
    let mut prints = python(
        "import os\nprint(os.environ.get('TOKEN'), os.environ.get('MODE'), 'HOST' in os.environ)",
    );
    prints.offered.insert("TOKEN".into(), "t".into());
    prints.offered.insert("HOST".into(), "h".into());
    prints.variables.insert("MODE".into(), "m".into());
    let (ran, _) = Office::new(&[]).run(prints.clone());
    assert_eq!(out(&ran), "None m False\n");
    let (ran, _) = Office::new(&["env:read:TOKEN"]).run(prints);
    assert_eq!(out(&ran), "t m False\n");
    Ok(())
}

fn programs() -> Tested {
    let code = "import subprocess\nprint(subprocess.run(['/bin/sh', '-c', 'echo hi; id -un'], \
                capture_output=True, text=True).stdout)";
    let (ran, denials) = Office::new(&[]).run(python(code));
    assert!(err(&ran).contains("PermissionError"), "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, ["process:exec:sh"]);
    let (ran, denials) = Office::new(&["process:exec:sh"]).run(python(code));
    assert_eq!(out(&ran), "hi\n\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, ["process:exec:id"]);
    let (ran, _) = Office::new(&["process:exec"]).run(python(code));
    assert_eq!(out(&ran), "hi\nuser\n\n", "{}", err(&ran));
    Ok(())
}

/// T-NAT-007: a program of its own, under a name that was granted to another.
fn own_programs() -> Tested {
    let code = "import os, shutil, subprocess, sys\n\
                def run(name):\n  shutil.copy('/usr/bin/true', name); os.chmod(name, 0o755)\n  \
                try: return subprocess.run([name]).returncode\n  \
                except OSError as e: return e.errno\n\
                print(run('/tmp/mine'), run('/tmp/sh'))";
    let (ran, _) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "13 13\n", "{}", err(&ran));
    let (ran, _) = Office::new(&["process:exec:mine", "process:exec:sh"]).run(python(code));
    assert_eq!(out(&ran), "0 13\n", "{}", err(&ran));
    Ok(())
}

/// T-NAT-009: the store is hidden, also below a folder that is granted or mounted.
fn hidden() -> Tested {
    hidden_by("home/store")?;
    // By a path with a link, as the home of a user may have.
    hidden_by("link/store")
}

fn hidden_by(name: &str) -> Tested {
    let folder = Folder::new();
    let store = folder.write("home/store/grants.db", "secrets");
    folder.write("home/a.txt", "a");
    let home = folder.text("home");
    let code = format!(
        "import os\nprint(open('{home}/a.txt').read())\n\
         for path in ({store:?}, '/home2/store/grants.db'):\n  try: print(open(path).read())\n  \
         except OSError as e: print(e.errno)"
    );
    let mut reads = python(&code);
    std::os::unix::fs::symlink(folder.path("home"), folder.path("link"))?;
    reads.hidden.push(folder.path(name));
    reads.folders.push(HostFolder {
        at: "/home2".into(),
        host: home.clone(),
        mode: FolderMode::ReadWrite,
    });
    let office = Office::new(&["fs:read", "fs:write"]);
    let (ran, denials) = office.run(reads);
    let text = out(&ran);
    assert!(text.starts_with("a\n") && !text.contains("secrets"), "{text} {}", err(&ran));
    assert_eq!(text.lines().count(), 3);
    assert!(denials.is_empty());
    assert_eq!(folder.read("home/store/grants.db"), "secrets");
    Ok(())
}

/// Makes a store of its own: where none is, after moving the folder around it, or as a link.
const REPLACES: &str = "import os, sys\n\
home = sys.argv[1]\n\
def attempt(act):\n  \
  try: act(); print('done')\n  \
  except OSError as e: print('refused')\n\
def make():\n  \
  os.makedirs(home + '/share/data/store', exist_ok=True)\n  \
  open(home + '/share/data/store/grants.db', 'w').write('forged')\n\
if len(sys.argv) > 2: sys.stdin.read(1); open(home + '/a.txt', 'w').write('b')\n\
attempt(make)\n\
attempt(lambda: (os.rename(home + '/share', home + '/x'), make()))\n\
attempt(lambda: (os.rename(home + '/share/data', home + '/share/x'), make()))\n\
attempt(lambda: (os.rename(home + '/share/data/store', home + '/x'), make()))\n\
attempt(lambda: os.rmdir(home + '/share/data/store'))\n\
open(home + '/share/other', 'w').write('kept')\n";

/// Makes a home with a store in it, or with room for one. Returns its path too.
fn home_with_store(is_there: bool) -> (Folder, String) {
    let folder = Folder::new();
    folder.write("home/a.txt", "a");
    if is_there {
        folder.write("home/share/data/store/grants.db", "secrets");
    }
    let home = folder.text("home");
    (folder, home)
}

/// T-NAT-009: the program puts a store of its own in the place of the hidden one.
fn replaced() -> Tested {
    for is_there in [true, false] {
        let (folder, home) = home_with_store(is_there);
        let mut replaces = program(&["python3", "-c", REPLACES, &home]);
        replaces.hidden.push(folder.path("home/share/data/store"));
        let mode = FolderMode::ReadWrite;
        replaces.folders.push(HostFolder { at: home.clone(), host: home, mode });
        let (ran, _) = Office::new(&[]).run(replaces);
        assert_eq!(out(&ran), "refused\n".repeat(5), "{}", err(&ran));
        store_is_whole(&folder, is_there);
    }
    Ok(())
}

/// T-NAT-009: the same below a folder that was read first and then written.
fn replaced_later() -> Tested {
    for is_there in [true, false] {
        let (folder, home) = home_with_store(is_there);
        let code = format!("open('{home}/a.txt').read()\n{REPLACES}");
        let mut replaces = program(&["python3", "-c", &code, &home, "later"]);
        replaces.hidden.push(folder.path("home/share/data/store"));
        let office = Office::new(&[&format!("fs:read:{home}/**"), &format!("fs:write:{home}/**")]);
        let (ran, denials) = office.run(replaces);
        assert_eq!(out(&ran), "refused\n".repeat(5), "{} {denials:?}", err(&ran));
        assert_eq!(folder.read("home/a.txt"), "b");
        store_is_whole(&folder, is_there);
    }
    Ok(())
}

fn store_is_whole(folder: &Folder, is_there: bool) {
    let store = folder.path("home/share/data/store");
    let names: Vec<_> = std::fs::read_dir(store).expect("a folder").flatten().collect();
    assert_eq!(names.len(), usize::from(is_there), "{names:?}");
    if is_there {
        assert_eq!(folder.read("home/share/data/store/grants.db"), "secrets");
    }
    assert_eq!(folder.read("home/share/other"), "kept");
}

/// A program that is named below a mounted folder finds what is beside it there.
fn program_below_a_mount() -> Tested {
    use std::os::unix::fs::PermissionsExt;
    for mode in [FolderMode::ReadOnly, FolderMode::Overlay, FolderMode::ReadWrite] {
        let folder = Folder::new();
        let text = "#!/usr/bin/python3\nimport sys\nprint(sys.argv[0], \
                    open(sys.path[0] + '/data.txt').read())\n";
        folder.write("tool/main.py", text);
        folder.write("tool/data.txt", "beside");
        std::fs::set_permissions(folder.path("tool/main.py"), PermissionsExt::from_mode(0o755))?;
        std::fs::create_dir(folder.path("bin"))?;
        std::os::unix::fs::symlink("../tool/main.py", folder.path("bin/tool"))?;
        for word in ["bin/tool", "./bin/tool", "/w/bin/tool", "/w/tool/main.py"] {
            let mut starts = program(&[word]);
            starts.directory = Some("/w".into());
            starts.folders.push(HostFolder { at: "/w".into(), host: folder.text(""), mode });
            let (ran, denials) = Office::new(&[]).run(starts);
            assert_eq!(out(&ran), "/w/tool/main.py beside\n", "{word} {}", err(&ran));
            assert!(denials.is_empty(), "{denials:?}");
        }
    }
    Ok(())
}

/// A toolchain: the program that is run starts another one beside it, which has the name of a program
/// of the system. `.local` is no installation, and its programs are files to ask for.
fn installation() -> Tested {
    use std::os::unix::fs::PermissionsExt;
    for (prefix, asked) in [("kit", "process:exec:id"), (".local", "fs:read:")] {
        let folder = Folder::new();
        let main = format!("{prefix}/bin/main");
        folder.write(&main, "#!/bin/sh\nid; echo \"ended $?\"\n");
        folder.write(&format!("{prefix}/bin/id"), "#!/bin/sh\necho ours\n");
        folder.write(&format!("{prefix}/lib/data"), "");
        for name in ["main", "id"] {
            let path = folder.path(&format!("{prefix}/bin/{name}"));
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o755))?;
        }
        let (ran, denials) = Office::new(&[]).run(program(&[&folder.text(&main)]));
        assert_eq!(out(&ran), "ended 126\n", "{prefix}: {}", err(&ran));
        let wanted = denials.first().expect("a denial").error().required_permission().to_owned();
        assert!(wanted.starts_with(asked), "{prefix}: {wanted}");
        let (ran, _) = Office::new(&["process:exec:id"]).run(program(&[&folder.text(&main)]));
        // The shell goes on to the program of the system if the file is denied.
        let is_ours = out(&ran) == "ours\nended 0\n";
        assert_eq!(is_ours, prefix == "kit", "{prefix}: {}{}", out(&ran), err(&ran));
    }
    Ok(())
}

/// A shell looks for a program before it starts it, so the look is the request.
fn users_path() -> Tested {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("kit/bin/shout", "#!/bin/sh\ncat \"${0%/bin/shout}/lib/text\"; echo $?\n");
    folder.write("kit/lib/text", "heard ");
    folder.write("kit/secret", "s3cr3t");
    std::fs::set_permissions(folder.path("kit/bin/shout"), PermissionsExt::from_mode(0o755))?;
    let run = |code: &str| {
        let mut program = program(&["/bin/sh", "-c", code]);
        program.search = format!("{}:/usr/bin:/bin", folder.text("kit/bin")).into();
        program
    };
    let code = "no-such-program; echo $?; shout; echo $?";
    let (ran, denials) = Office::new(&[]).run(run(code));
    assert_eq!(out(&ran), "127\n127\n", "{}", err(&ran));
    let wanted: Vec<_> =
        denials.iter().map(|denial| denial.error().required_permission()).collect();
    assert_eq!(wanted, ["process:exec:shout"]);
    let given = ["process:exec:shout", "process:exec:cat"];
    let (ran, denials) = Office::new(&given).run(run("shout; command -v shout"));
    let expect = format!("heard 0\n{}\n", folder.text("kit/bin/shout"));
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    assert!(denials.is_empty(), "{denials:?}");
    // The rest of the folder is as far away as before, and nothing of it can be changed.
    let code = format!("shout; cat {0}/secret; echo x > {0}/bin/shout", folder.text("kit"));
    let (ran, denials) = Office::new(&given).run(run(&code));
    assert_eq!(out(&ran), "heard 0\n", "{}", err(&ran));
    let wanted: Vec<_> =
        denials.iter().map(|denial| denial.error().required_permission()).collect();
    assert_eq!(wanted[0], format!("fs:read:{}", folder.text("kit/secret")));
    assert!(std::fs::read_to_string(folder.path("kit/bin/shout"))?.contains("cat"));
    // T-NAT-007: a file that the program may change is not started under the name of another one.
    folder.write("kit/bin/id", "#!/bin/sh\necho ours\n");
    std::fs::set_permissions(folder.path("kit/bin/id"), PermissionsExt::from_mode(0o755))?;
    let (ran, _) = Office::new(&["process:exec:id"]).run(run("id"));
    assert_eq!(out(&ran), "ours\n", "{}", err(&ran));
    let whole = |access: &str| format!("fs:{access}:{}/**", folder.text("kit"));
    let given = ["process:exec:id", &whole("read"), &whole("write")];
    let (ran, _) = Office::new(&given).run(run("id; /usr/bin/id"));
    assert!(!out(&ran).contains("ours") && out(&ran).contains("uid="), "{}", out(&ran));
    Ok(())
}

/// Tools look for their settings in all folders above, whose absence must not be an error.
fn settings_above() -> Tested {
    let folder = Folder::new();
    folder.write("home/pyproject.toml", "[secret]");
    folder.write("home/work/a.txt", "a");
    let code = "import os\nfor name in ('../pytest.toml', '../pyproject.toml', '/lerna.json', \
                '../../vite.config.ts', os.getcwd().swapcase(), 'a.txt'):\n  \
                try: os.stat(name); print('there')\n  except OSError as e: print(e.errno)";
    let mut looks = python(code);
    looks.directory = Some(folder.path("home/work"));
    let (ran, denials) = Office::new(&[]).run(looks);
    assert_eq!(out(&ran), "2\n2\n2\n2\n2\n13\n", "{}", err(&ran));
    assert_eq!(denials.len(), 1, "{denials:?}");
    Ok(())
}

fn odd_directory() -> Tested {
    use std::os::unix::ffi::OsStringExt;
    let folder = Folder::new();
    let odd = folder.path("").join(std::ffi::OsString::from_vec(b"m\xff".to_vec()));
    std::fs::create_dir(&odd)?;
    let mut prints = python("import os\nprint(os.getcwdb()[-2:])");
    prints.directory = Some(odd.clone());
    prints.hidden.push(odd);
    let (ran, _) = Office::new(&[]).run(prints);
    assert_eq!(out(&ran), "b'm\\xff'\n", "{}", err(&ran));
    Ok(())
}

fn named_file() -> Tested {
    let folder = Folder::new();
    let file = folder.write("package.json", "{}");
    let mut reads = program(&["cat", "package.json"]);
    reads.directory = Some(folder.root().to_owned());
    let (_, denials) = Office::new(&[]).run(reads);
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{file}")]);
    Ok(())
}

fn script() -> Tested {
    let folder = Folder::new();
    let script = folder.write("main.py", "print(__file__)\nprint(open('data.csv').read())");
    folder.write("data.csv", "1,2");
    let mut run = program(&["python3", "main.py"]);
    run.directory = Some(folder.root().to_owned());
    let (ran, denials) = Office::new(&[]).run(run);
    assert_eq!(out(&ran).trim(), script, "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{}", folder.text("data.csv"))]);
    Ok(())
}

fn shims() -> Tested {
    let folder = Folder::new();
    let file = folder.write("data.txt", "content");
    let code = format!(
        "try: open({file:?})\nexcept PermissionError as e: print(e.required_permission, e.request_id[:4])"
    );
    let (ran, _) = Office::new(&[]).run(python(&code));
    assert_eq!(out(&ran), format!("fs:read:{file} req_\n"), "{}", err(&ran));
    let Some(node) = ["/usr/bin/node", "/usr/local/bin/node"]
        .into_iter()
        .find(|path| std::path::Path::new(path).exists())
    else {
        println!("node: not tested, because it is not installed");
        return Ok(());
    };
    let code = format!(
        "const fs = require('fs');\n\
         const seen = (e) => console.log(e.name, e.code, e.requiredPermission);\n\
         try {{ fs.readFileSync({file:?}) }} catch (e) {{ seen(e) }}\n\
         try {{ process.env.TOKEN }} catch (e) {{ seen(e) }}\n\
         (async () => {{\n\
           await fs.promises.readFile({file:?}).catch(seen);\n\
           await fetch('https://api.example.test/v1').catch(seen);\n\
           console.log(process.env.OTHER, process.env.TERM);\n\
         }})()"
    );
    let mut run = program(&[node, "-e", &code]);
    run.offered.insert("TOKEN".into(), "t".into());
    run.offered.insert("TERM".into(), "xterm".into());
    let (ran, _) = Office::new(&[]).run(run);
    let denied = |what: &str| format!("PermissionError PERMISSION_DENIED {what}\n");
    let expect = [
        denied(&format!("fs:read:{file}")),
        denied("env:read:TOKEN"),
        denied(&format!("fs:read:{file}")),
        denied("network:fetch:GET@https://api.example.test/v1"),
        "undefined undefined\n".to_owned(),
    ];
    assert_eq!(out(&ran), expect.concat(), "{}", err(&ran));
    Ok(())
}

fn silent() -> Tested {
    let code = "import os\nfor p in ('/package.json', '/srv/node_modules/x', '/etc/gitconfig', '/sys/fs'):\n  \
                try: os.stat(p)\n  except OSError as e: print(e.errno)";
    let (ran, denials) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "2\n2\n2\n2\n", "{}", err(&ran));
    assert!(denials.is_empty());
    Ok(())
}

/// Compilers and shells look for a program with `access` before they start it.
fn looks() -> Tested {
    let code = "import os, shutil, subprocess\nprint(shutil.which('id'), os.access('/usr/bin/id', os.X_OK), \
                os.access('/etc/passwd', os.X_OK), os.access('/usr/bin/none', os.X_OK))\n\
                try: subprocess.run(['id'])\nexcept PermissionError: print('refused')";
    let (ran, denials) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "/usr/bin/id True False False\nrefused\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, ["process:exec:id"]);
    Ok(())
}

fn hard_link() -> Tested {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("bin"))?;
    std::fs::copy("/bin/sh", folder.path("bin/mine"))?;
    std::fs::hard_link(folder.path("bin/mine"), folder.path("bin/link"))?;
    std::fs::copy("/bin/sh", folder.path("bin/copy"))?;
    let (mine, link, copy) =
        (folder.text("bin/mine"), folder.text("bin/link"), folder.text("bin/copy"));
    let code = format!("{link} -c 'echo linked'; {copy} -c 'echo copied'");
    let mut shell = program(&[&mine, "-c", &code]);
    let at = folder.text("bin");
    shell.folders.push(HostFolder { at: at.clone(), host: at, mode: FolderMode::ReadOnly });
    let (ran, denials) = Office::new(&[]).run(shell);
    assert_eq!(out(&ran), "linked\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, ["process:exec:copy"]);
    Ok(())
}

/// A virtual environment: its `python` is a link, and its packages are beside it.
fn environment() -> Tested {
    let folder = Folder::new();
    let find = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)";
    let found = std::process::Command::new("/usr/bin/python3").args(["-c", find]).output()?;
    let found = String::from_utf8(found.stdout)?;
    let (version, _) = found.trim().split_once(' ').expect("a version");
    folder.write("env/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
    let packages = format!("env/lib/python{version}/site-packages");
    folder.write(&format!("{packages}/shown.py"), "WORDS = 'from the environment'");
    folder.write("env/secret", "secret");
    std::fs::create_dir(folder.path("env/bin"))?;
    std::os::unix::fs::symlink("/usr/bin/python3", folder.path("env/bin/python"))?;
    let code = format!(
        "import shown, sys\nprint(shown.WORDS, sys.prefix)\nopen({:?})",
        folder.text("env/secret")
    );
    let (ran, denials) =
        Office::new(&[]).run(program(&[&folder.text("env/bin/python"), "-c", &code]));
    let expect = format!("from the environment {}\n", folder.text("env"));
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, [format!("fs:read:{}", folder.text("env/secret"))]);
    Ok(())
}

fn own_code() -> Tested {
    let code = "import os, shutil, subprocess\nshutil.copy('/usr/bin/true', '/tmp/own')\n\
                try: print(subprocess.run(['/tmp/own']).returncode)\n\
                except PermissionError: print('refused')\n\
                print([line.split()[1] for line in open('/proc/self/mounts') if 'noexec' not in line \
                and line.split()[1] in ('/tmp', '/home/user')])";
    let (ran, _) = Office::new(&["process:exec"]).run(python(code));
    assert_eq!(out(&ran), "0\n['/tmp', '/home/user']\n", "{}", err(&ran));
    // A grant for one program is none for the files that it makes.
    let (ran, _) = Office::new(&["process:exec:id"]).run(python(code));
    assert_eq!(out(&ran), "refused\n[]\n", "{}", err(&ran));
    Ok(())
}

fn refused_start() -> Tested {
    let code = "import json, subprocess\ntry: subprocess.run(['id'])\nexcept PermissionError: pass\n\
                print(json.load(open('/.cofferdam/denied-exec/id'))['requiredPermission'])\n\
                try: open('/.cofferdam/denied-exec/other')\nexcept OSError as e: print(e.errno)";
    let (ran, _) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "process:exec:id\n2\n", "{}", err(&ran));
    Ok(())
}

fn command_line() -> Tested {
    let code = "print(open('/proc/1/cmdline').read().strip('\\0') or 'none')\n\
                try: print(open('/proc/1/environ').read())\nexcept OSError as e: print(e.errno)";
    let (ran, _) = Office::new(&[]).run(python(code));
    assert!(
        matches!(out(&ran).as_str(), "none\n13\n" | "cofferdam-launcher\n13\n"),
        "{}",
        out(&ran)
    );
    Ok(())
}

/// T-NAT-007: files of the program's own under a path at which they would be code. The tree is built
/// in folders of the host's root, which a mount of it contains.
fn mount_of_root() -> Tested {
    let code = "import glob\nopen('/tmp/own-file-of-this-test', 'w').write('x')\n\
        print(glob.glob('/host/*/*/own-file-of-this-test'), glob.glob('/host/*/etc/cofferdam'), \
        len(glob.glob('/host/usr/bin/i*')) > 0)";
    let mut program = python(code);
    let (at, host) = ("/host".to_owned(), "/".to_owned());
    program.folders.push(HostFolder { at, host, mode: FolderMode::ReadOnly });
    let (ran, _) = Office::new(&[]).run(program);
    assert_eq!(out(&ran), "[] [] True\n", "{}", err(&ran));
    Ok(())
}

/// The folder is a window in the program's own `/tmp`, which has the program and nothing else.
fn program_below_tmp() -> Tested {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("cofferdam-native-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("script");
    std::fs::write(&script, "#!/bin/sh\necho started\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    let mut program = program(&[script.to_str().expect("text")]);
    program.directory = Some(folder.clone());
    let (ran, _) = Office::new(&[]).run(program);
    std::fs::remove_dir_all(&folder)?;
    assert_eq!(out(&ran), "started\n", "{}", err(&ran));
    Ok(())
}
