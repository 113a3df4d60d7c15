class Fugue < Formula
  desc "Terminal multiplexer for coding agents"
  homepage "@RELEASE_URL@"
  url "@RELEASE_URL@/fugue-0.2.0.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args(path: "fugue")
    system "cargo", "install", *std_cargo_args(path: "fugue-fleet")
    generate_completions_from_executable(bin/"fugue", "completions")
    system bin/"fugue", "man", man1
  end

  service do
    run [opt_bin/"fugue", "start-server"]
    run_type :immediate
  end

  test do
    ENV["XDG_RUNTIME_DIR"] = testpath
    system bin/"fugue", "new", "-d", "-s", "work", "--", "cat"
    assert_match "work: 1 window, 1 pane", shell_output("#{bin}/fugue ls")
  ensure
    system bin/"fugue", "shutdown"
  end
end
