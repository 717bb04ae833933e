# Names beyond ASCII, alike but for an accent or case, with dots and other signs where the language lets them be strings.
from tvm.script import tirx as T

größe = 32


@T.prim_func
def main(α: T.Buffer((größe,), "float32"), Α: T.Buffer((größe,), "float32"), नमूना: T.Buffer((32,), "float32"), é: T.float32, è: T.float32):
    T.func_attr({"global_symbol": "main.δ \"x\\y\""})
    入力 = T.Var("a.b-c", "float32")
    for 数 in T.thread_binding(größe, thread="threadIdx.x"):
        with T.sblock("コピー.1"):
            ν = T.axis.spatial(größe, 数)
            T.reads(α[ν])
            T.writes(Α[ν], नमूना[ν])
            with T.LetStmt(α[ν] * é, var=入力):
                Α[ν] = 入力 + è
                नमूना[ν] = 入力 - è


def reference(α, é, è):
    x = α.astype(np.float64) * é
    return {"Α": x + è, "नमूना": x - è}


args = {"é": 0.5, "è": 0.25}
